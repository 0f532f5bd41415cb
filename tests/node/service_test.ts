/** The services of a running node: containerd and etcd as they are, killed and back. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { childOf } from "./child_of.ts";
import { LiveNode } from "./live_node.ts";

const AGAIN = /; starting again/;

Deno.test("services are well, and come back well when they are killed", async (t) => {
  await using node = await LiveNode.start();
  await node.healthy();
  const service = async (id: string) => {
    const all = (await node.machine.services()).flatMap(({ value }) => value);
    const found = all.find((one) => one.id === id);
    if (found === undefined) throw new Error(`Cannot find service "${id}"`);
    return found;
  };
  /** Kills the process that a service runs, and waits until another one is well. */
  const killed = async (id: string) => {
    const pid = childOf(node.pid, id);
    const before = (await service(id)).history.filter(({ message }) => AGAIN.test(message)).length;
    let seen = 0;
    const back = node.event({ tailEvents: -1 }, ({ payload }) => {
      if (payload?.kind !== "serviceState" || payload.service !== id) return false;
      if (AGAIN.test(payload.message)) seen++;
      return seen > before && payload.health.healthy;
    });
    Deno.kill(pid, "SIGKILL");
    await back;
    notStrictEqual(childOf(node.pid, id), pid);
  };

  await t.step("the list of services", async () => {
    const services = (await node.machine.services()).flatMap(({ value }) => value);
    const shown = services.map(({ id, state, health: { unknown, healthy } }) => ({ id, state, unknown, healthy }));
    deepStrictEqual(shown, [
      { id: "apid", state: "Running", unknown: true, healthy: false },
      { id: "containerd", state: "Running", unknown: false, healthy: true },
      { id: "etcd", state: "Running", unknown: false, healthy: true },
    ]);
    const { code, text } = await node.ctl("services");
    strictEqual(code, 0, text);
    match(
      text,
      /^NODE +SERVICE +STATE +HEALTH +LAST CHANGE +LAST EVENT\n10\.98\.2\.2 +apid +Running +\? .* ago +Started\n/,
    );
    match(text, /^10\.98\.2\.2 +etcd +Running +OK .* ago +Healthy$/m);
    match(
      (await node.ctl("service", "etcd")).text,
      /^EVENTS +\[Running\]: Healthy \(.* ago\)\n +\[Running\]: Started as process \d+ /m,
    );
    const unknown = await node.ctl("service", "etdc");
    deepStrictEqual([unknown.code, unknown.text.includes('did you mean "etcd"?')], [2, true]);
  });

  for (const id of ["containerd", "etcd"]) {
    await t.step(`${id}, killed twice`, async () => {
      await killed(id);
      await killed(id);
      const { state, health, history } = await service(id);
      deepStrictEqual([state, health.unknown, health.healthy], ["Running", false, true]);
      const restarts = history.filter(({ message }) => AGAIN.test(message));
      strictEqual(restarts.length, 2);
      for (const { message } of restarts) match(message, /signal 9|SIGKILL/);
      await node.healthy();
    });
  }

  await t.step("the other services and the API did not notice", async () => {
    ok((await service("apid")).history.every(({ message }) => !AGAIN.test(message)));
    strictEqual((await node.machine.version())[0]?.value.mode, "container");
  });
});
