import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { VERSION } from "../version/mod.ts";
import { clientIdentity, serverCertificates, testAuthority, TestNode } from "./testbed.ts";

Deno.test("version: client alone, and both in two forms", async () => {
  await using node = await TestNode.start();
  strictEqual((await node.run("version --client --short")).out, `Client: Monos ${VERSION}\n`);
  strictEqual((await node.run("version --short")).out, `Client: Monos ${VERSION}\nServer 127.0.0.1: v1.0.0\n`);
  const { out } = await node.run("version");
  const server = [
    "Server:",
    "\tNODE:        127.0.0.1",
    "\tTag:         v1.0.0",
    "\tSHA:         abc",
    "\tBuilt:",
    "\tRuntime:     deno 2.9.4",
    "\tOS/Arch:     linux/amd64",
    "\tPlatform:    metal (container)",
    "",
  ].join("\n");
  ok(out.startsWith(`Client:\n\tName:        Monos\n\tTag:         ${VERSION}\n`) && out.endsWith(server), out);
});

Deno.test("services: table, one with its history, actions that the node does not know", async () => {
  await using node = await TestNode.start();
  match(
    (await node.run("services")).out,
    /^NODE +SERVICE +STATE +HEALTH +LAST CHANGE +LAST EVENT\n127\.0\.0\.1 +etcd +Running +OK +1m\ds ago +started\n$/,
  );
  match(
    (await node.run("service etcd")).out,
    /^NODE +127\.0\.0\.1\nID +etcd\nSTATE +Running\nHEALTH +OK\nEVENTS +\[Running\]: started \(1m\ds ago\)\n +\[Preparing\]: creating runner \(1m\ds ago\)\n$/,
  );
  const unknown = await node.run("service ectd");
  match(unknown.errors, /did you mean "etcd"/);
  const restart = await node.run("service etcd restart");
  match(restart.errors, /^error: Cannot restart "etcd" on 127\.0\.0\.1: [^\n]+\n$/);
  strictEqual(restart.code, 1);
  match((await node.run("service etcd retsart")).errors, /did you mean "restart"/);
});

Deno.test("logs: last lines, following, unknown service", async () => {
  await using node = await TestNode.start();
  for (const line of ["one", "", "three"]) node.machine.log.writeLine(line);
  strictEqual((await node.run("logs etcd")).out, "127.0.0.1: one\n127.0.0.1: \n127.0.0.1: three\n");
  strictEqual((await node.run("logs etcd --tail 1")).out, "127.0.0.1: three\n");
  match((await node.run("logs nobody")).errors, /^error: Cannot show the log of "nobody" on 127\.0\.0\.1: .*\n$/);
  const { out, leave, code } = node.start("logs etcd -f --tail 0");
  const { log } = node.machine;
  const written = setInterval(() => log.writeLine("four"), 5); // until the follower has come
  await out.until(/^127\.0\.0\.1: four\n/);
  clearInterval(written);
  leave.abort();
  strictEqual(await code, 0);
});

Deno.test("events: past ones of an actor, then new ones", async () => {
  await using node = await TestNode.start();
  const { bus } = node.machine;
  const first = bus.publish({ kind: "task", task: "mount", action: "start" }, "me");
  bus.publish({ kind: "phase", phase: "other", action: "start" });
  const { out, leave, code } = node.start("events --tail -1 --actor-id me");
  await out.until(/mount/);
  bus.publish({ kind: "machineStatus", stage: "running", ready: true, unmet: [] }, "me");
  await out.until(/running/);
  leave.abort();
  strictEqual(await code, 0);
  const [head = "", task = "", status = ""] = out.text.split("\n").map((line) => line.replaceAll(/ {2,}/g, "|"));
  strictEqual(head, "NODE|ID|EVENT|ACTOR|SOURCE|MESSAGE");
  strictEqual(task, `127.0.0.1|${first.id}|machine.TaskEvent|me|mount|START`);
  match(status, /\|machine\.MachineStatusEvent\|me\|running\|ready: true$/);
  strictEqual((await node.run("events --tail 1 --duration 1m")).code, 2);
  const ages = node.start("events --duration 9999999h");
  await ages.out.until(/mount/);
  ages.leave.abort();
  strictEqual(await ages.code, 0);
});

Deno.test("a reader that has enough ends what goes on, on all nodes and without a word", async () => {
  await using node = await TestNode.start();
  node.machine.log.writeLine("one");
  const { out, errors, code } = node.start("logs etcd -f -n 127.0.0.1,node-1");
  out.write = () => {
    throw new Deno.errors.BrokenPipe();
  };
  deepStrictEqual([await code, errors.text], [0, ""]);
});

Deno.test("apply-config: dry run with the diff, applied, refused with the whole reason", async () => {
  await using node = await TestNode.start();
  const file = `${node.folder}/config.yaml`;
  await Deno.writeTextFile(file, "machine:\n  type: worker\n");
  const dry = await node.run(`apply-config -f ${file} --dry-run`);
  deepStrictEqual(dry, {
    ...{ code: 0, out: "127.0.0.1:\nDry run\n-a\n+b\n" },
    errors: "127.0.0.1: warning: key x is not used\n",
  });
  strictEqual((await node.run(`apply-config -f ${file} -m try`)).out, "127.0.0.1: applied in mode no-reboot\n");
  deepStrictEqual(node.machine.applied.map(({ mode, dryRun, tryTimeoutMs }) => [mode, dryRun, tryTimeoutMs]), [
    ["auto", true, 60_000],
    ["try", false, 60_000],
  ]);
  await Deno.writeTextFile(file, "machine:\n  tpye: worker\n");
  const wrong = await node.run(`apply-config -f ${file}`);
  match(
    wrong.errors,
    /^error: Cannot apply the config to 127\.0\.0\.1: .*line 2, column 3: .*did you mean "type"\?\n$/,
  );
  strictEqual(wrong.code, 1);
  match((await node.run("apply-config -f /nowhere/c.yaml")).errors, /the file does not exist/);
  strictEqual((await node.run("apply-config")).code, 2);
});

Deno.test("apply-config takes each patch as it stands, commas and all", async () => {
  await using node = await TestNode.start();
  const file = `${node.folder}/config.yaml`;
  await Deno.writeTextFile(file, "version: v1alpha1\nmachine:\n    type: worker\n");
  const patches = '-p {"machine":{"certSANs":["a","b"]}} -p [{"op":"add","path":"/debug","value":true}]';
  const { code, errors } = await node.run(`apply-config -f ${file} ${patches}`);
  strictEqual(code, 0, errors);
  const text = new TextDecoder().decode(node.machine.applied[0]?.data);
  match(text, /certSANs:\s+- a\s+- b\n/);
  match(text, /^debug: true$/m);
});

Deno.test("reboot waits for another boot, shutdown tells why the machine stays up", async () => {
  await using node = await TestNode.start();
  const { machine, authority, server } = node;
  // a machine that stops telling events has gone down, or come up again
  const back = node.start("reboot");
  await back.errors.until(/sequence reboot STOP/);
  const certificates = serverCertificates(authority);
  server.setCertificates({ ...certificates, acceptedCaPems: [] }); // drops the connections
  server.setCertificates(certificates);
  strictEqual(await back.code, 0, back.errors.text);
  match(back.out.text, /^127\.0\.0\.1: back after \d+\.\d s\n$/);
  match(back.errors.text, /^127\.0\.0\.1: sequence reboot START\n127\.0\.0\.1: sequence reboot STOP\n$/);
  const failed = await node.run("shutdown");
  match(failed.errors, /error: Cannot shut down 127\.0\.0\.1: the fuse is blown\n$/);
  strictEqual(failed.code, 1);
  const asked = await node.run("shutdown --force --wait=false");
  deepStrictEqual([asked.code, asked.errors], [0, ""]);
  match(asked.out, /actor actor-1\n$/);
  strictEqual(machine.bus.list({ tailEvents: -1 }).length, 6);
});

Deno.test("shutdown tells what the machine does, however fast it goes", async () => {
  await using node = await TestNode.start();
  const { machine, server } = node;
  machine.shutdown = () => {
    machine.bus.publish({ kind: "sequence", sequence: "shutdown", action: "start" }, "actor-1");
    void server.drain(50).then(() => server[Symbol.asyncDispose]());
    return "actor-1";
  };
  const { code, out, errors } = await node.run("shutdown");
  strictEqual(code, 0, errors);
  match(out, /^127\.0\.0\.1: gone after \d+\.\d s\n$/);
  strictEqual(errors, "127.0.0.1: sequence shutdown START\n");
});

Deno.test("inspect dependencies: Graphviz and Mermaid", async () => {
  await using node = await TestNode.start();
  node.thing("a", { name: "first", sizes: [] });
  const { out: dot } = await node.run("inspect dependencies");
  match(dot, /"a\.Writer" -> "Things\.test\.dev" \[style=bold\];/);
  match(dot, /"Things\.test\.dev" -> "b\.Reader" \[label="x", style=dotted\];/);
  strictEqual(dot.includes("subgraph"), false);
  const { out } = await node.run("inspect dependencies --with-resources -o mermaid");
  match(out, /subgraph n3\["Things\.test\.dev"\]\n {4}n2\(\["Things\.test\.dev"\]\)\n {4}n4\["default\/a"\]/);
  match(out, /n0 ==> n2\n {2}n2 -\.->\|x\| n1\n$/);
});

Deno.test("what keeps a call from a node is told with what to check", async () => {
  await using node = await TestNode.start();
  const { authority } = node;
  const admin = clientIdentity(authority, ["os:admin"]);
  const other = await testAuthority();
  const failure = async (line = "services") => {
    const { errors, code } = await node.run(line);
    strictEqual(code, 1);
    return errors;
  };
  const place = `context "demo" in ${node.path}`.replaceAll(/[./]/g, "\\$&");

  node.server.setCertificates(serverCertificates(authority, -60));
  match(await failure(), /cannot connect to .*the node's certificate expired at .*by this machine's clock/);
  node.server.setCertificates(serverCertificates(authority));
  await node.write(admin, other.crtPem);
  match(await failure(), new RegExp(`^error: Cannot list the services of 127.*not signed by.*${place}.*\\n$`));
  await node.write(clientIdentity(other, ["os:admin"]));
  match(await failure(), new RegExp(`cannot admit the caller: .*not signed.*the certificate is that of ${place}`));
  await node.write(clientIdentity(authority, ["os:nobody"]));
  match(await failure(), new RegExp(`as os:nobody, by ${place}`));
  await node.write(clientIdentity(authority, [], -60));
  match(await failure(), new RegExp(`the certificate of ${place} expired on 20`));
  await node.write(admin, authority.crtPem, 1);
  match(await failure(), /cannot connect to "127\.0\.0\.1:1": .*ECONNREFUSED.*nothing listens there/);
  await node.write(clientIdentity(authority, ["os:reader"]));
  match(await failure("get secrets"), /Cannot get secrets from 127.*as os:reader/);
});
