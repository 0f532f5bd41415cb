/**
 * PID 1 of the services test: brings containerd and etcd up, kills each, restarts the node once, and shuts down. It
 * tells what it sees as lines of JSON on its console, which the test compares.
 */
import { kill } from "../../kernel/process.ts";
import { RtnlConn } from "../../kernel/rtnl.ts";
import { earlyInit } from "../../mod/boot/mod.ts";
import { CONTAINERD_ID, containerdService, ETCD_ID, etcdService } from "../../mod/supervisor/mod.ts";

const ETCD_URL = "http://127.0.0.1:2379/v3/kv";
const IDS = [CONTAINERD_ID, ETCD_ID];

const started = performance.now();
const system = earlyInit();
const { supervisor } = system;
const tell = (what: Record<string, unknown>) => console.log(JSON.stringify(what));
tell({ step: "init", ms: performance.now() - started, mode: system.mode });

using rtnl = new RtnlConn();
rtnl.setLink("lo", { up: true });
supervisor.load(containerdService(system.processes));
supervisor.load(etcdService(system.processes, () => ({ name: "one" })));
supervisor.start();
if (!(await supervisor.waitFor(() => IDS.every((id) => supervisor.isUp(id)), 20_000))) {
  for (const id of IDS) console.log(new TextDecoder().decode(supervisor.log(id).read(5)));
  await system.goDown("shutdown");
}
const snapshots = () => supervisor.snapshots().map(({ id, state, restarts, health }) => [id, state, restarts, health]);
tell({ step: "up", ms: performance.now() - started, services: snapshots() });

const key = { key: btoa("boot") };
const found = await call("range", key);
tell({ step: "kept", count: found.count ?? "0" });
if (found.count === undefined) {
  await call("put", { ...key, value: btoa("1") });
  await system.goDown("reboot");
}

for (const id of IDS) {
  const before = supervisor.snapshot(id).pid;
  const from = performance.now();
  kill(before, "SIGKILL");
  await supervisor.waitFor(() => supervisor.snapshot(id).restarts === 1 && supervisor.isUp(id), 30_000);
  const { pid, restarts, health } = supervisor.snapshot(id);
  tell({ step: "killed", id, ms: performance.now() - from, restarts, healthy: health.healthy, isNew: pid !== before });
}
tell({ step: "zombies", count: zombies(), members: system.cgroups.members("podruntime/etcd").length });
await system.goDown("shutdown");

async function call(method: string, body: unknown): Promise<{ count?: string }> {
  const response = await fetch(`${ETCD_URL}/${method}`, { method: "POST", body: JSON.stringify(body) });
  return await response.json();
}

function zombies(): number {
  const pids = [...Deno.readDirSync("/proc")].map(({ name }) => name).filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => / Z /.test(Deno.readTextFileSync(`/proc/${pid}/stat`))).length;
}
