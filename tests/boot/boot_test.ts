import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { stableName } from "../../controllers/network/hostname_config.ts";
import { dist } from "../../image/paths.ts";
import { TaskError } from "../../image/task.ts";
import { boot } from "../../image/tasks/boot.ts";
import { machineUuid, runningPid } from "../../image/vm.ts";
import { Machine, PATIENCE_MS } from "./machine.ts";

const POWER_OFF_MS = 10_000;
const LINKS = 40;

const DUMMY = "apiVersion: v1alpha1\nkind: DummyLinkConfig\nname: dummy0\naddresses: [{address: 10.11.12.1/24}]\n";
/** Debian's kernel allows some SysRq keys only. */
const ALL_SYSRQ = 'machine: {sysctls: {kernel.sysrq: "1"}}';
/** Kills one process, the one whose end would set most memory free for its OOM score; never PID 1. */
const OOM_KILL = "f";
const KILLED = /ended by signal 9; starting again$/;

const isHealthy = (services: string) =>
  ["containerd", "etcd"].every((name) => new RegExp(`\\b${name}\\s+Running\\s+OK\\b`).test(services));

for (const uefi of [false, true]) {
  Deno.test(`a machine boots ${uefi ? "through UEFI" : "directly"}, runs its services, and powers off`, async (t) => {
    const name = uefi ? "test-uefi" : "test-direct";
    await using machine = await Machine.boot(name, uefi);
    match(await machine.ctl("get", "addresses"), /\beth0\/10\.0\.2\.15\/24\b/);
    match(await machine.ctl("get", "links"), /\beth0\b.*\bup\b/);
    match(await machine.ctl("get", "routes"), /10\.0\.2\.2/);
    const identity = machineUuid(dist("nodes", name)); // from the firmware
    match(await machine.ctl("get", "hostname"), new RegExp(`\\b${stableName(identity)}\\b`));
    await machine.until(isHealthy, "services");
    // a kind of link that the kernel has as a module only
    const config = dist("nodes", name, "controlplane.yaml");
    await machine.ctl("apply-config", "-f", config, "-p", DUMMY, "-p", ALL_SYSRQ);
    await machine.until((answer) => /\bdummy0\/10\.11\.12\.1\/24\b/.test(answer), "get", "addresses");
    match(await machine.ctl("get", "links", "dummy0"), /\bdummy\b/);
    await rejects(boot({ uefi, detach: true, name, config: undefined }), TaskError); // and changes nothing of it
    if (!uefi) {
      await t.step("a Ctrl-S on its console holds nothing up", () => survivesCtrlS(machine, config));
      await t.step("a killed child of PID 1 does not take the machine down", () => survivesKill(machine));
    }
    const off = machine.powersOff();
    await using _line = uefi ? await machine.pressPowerButton() : undefined;
    if (!uefi) await machine.ctl("shutdown");
    const tookMs = await off;
    ok(tookMs < POWER_OFF_MS, `it took ${tookMs} ms to power off:\n${await machine.console()}`);
    strictEqual(await runningPid(name), undefined);
    const medium = dist("nodes", name, uefi ? "disk.raw" : "initramfs.img");
    const { mode } = await Deno.stat(medium);
    strictEqual((mode ?? 0) & 0o777, 0o600); // it has the keys of the config
  });
}

/** A service's process is killed from outside, and the API answers at every step of its way back. */
async function survivesKill(machine: Machine): Promise<void> {
  await machine.until((answer) => /\bkernel\.sysrq +\d+ +1 /.test(answer), "get", "kernelparamstatus");
  const bootId = await machine.ctl("get", "bootid", "-o", "yaml");
  await using _line = await machine.sysrq(OOM_KILL);
  let victim: string | undefined;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for await (const { value: { payload } } of machine.api.events({ tailEvents: -1 }, { signal })) {
    if (payload?.kind !== "serviceState") continue;
    if (KILLED.test(payload.message)) victim ??= payload.service;
    if (victim === undefined) continue;
    await machine.api.version({ timeoutMs: 10_000 });
    if (payload.service === victim && payload.health.healthy) break;
  }
  match(await machine.console(), new RegExp(`Killed process \\d+ \\(${victim}\\)`));
  const services = (await machine.api.services()).flatMap(({ value }) => value);
  const restarts = services.map(({ id, state, history }) => ({
    ...{ id, state },
    killed: history.filter(({ message }) => KILLED.test(message)).length,
  }));
  deepStrictEqual(
    restarts,
    ["apid", "containerd", "etcd"].map((id) => ({ id, state: "Running", killed: id === victim ? 1 : 0 })),
  );
  await machine.until(isHealthy, "services");
  strictEqual(await machine.ctl("get", "bootid", "-o", "yaml"), bootId);
}

/** Far more is logged than the kernel keeps for a serial line that was told to wait. */
async function survivesCtrlS(machine: Machine, config: string): Promise<void> {
  const document = (index: number) =>
    `apiVersion: v1alpha1\nkind: DummyLinkConfig\nname: many${index}\naddresses: [{address: 10.20.${index}.1/24}]\n`;
  const links = Array.from({ length: LINKS }, (_, index) => document(index + 1)).join("---\n");
  const last = `many${LINKS}/10.20.${LINKS}.1/24`;
  {
    await using _line = await machine.type("\x13");
    await machine.ctl("apply-config", "-f", config, "-p", ALL_SYSRQ, "-p", links);
    await machine.until((answer) => answer.includes(last), "get", "addresses");
    ok(!(await machine.console()).includes(last));
  }
  await using _line = await machine.type("\x11"); // Ctrl-Q
  await machine.untilShown(last);
}

Deno.test("a machine in the foreground whose API does not come up is ended", async () => {
  const name = "test-late";
  const late = boot({ uefi: false, detach: false, name, config: undefined, readyTimeoutMs: 1 });
  await rejects(late, TaskError);
  strictEqual(await runningPid(name), undefined);
});
