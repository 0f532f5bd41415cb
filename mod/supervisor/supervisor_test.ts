import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { EventBus } from "./event_bus.ts";
import { aborted } from "./notifier.ts";
import type { Runner } from "./runner.ts";
import { restartPause, type ServiceDefinition, SkipService } from "./service.ts";
import { ServiceNotFoundError, ServiceStateError, Supervisor } from "./supervisor.ts";

const forever: Runner = async ({ started, stop }) => {
  started();
  await aborted(stop);
};
const states = (supervisor: Supervisor, id: string) => supervisor.snapshot(id).history.map(({ state }) => state);

async function started(...definitions: ServiceDefinition[]): Promise<Supervisor> {
  const supervisor = new Supervisor();
  for (const one of definitions) supervisor.load(one);
  supervisor.start();
  ok(await supervisor.waitFor(() => definitions.every(({ id }) => supervisor.isUp(id)), 5000), "all up");
  return supervisor;
}

/** A service that writes down when it starts and stops. */
function traced(order: string[], id: string, ...dependencies: string[]): ServiceDefinition {
  return {
    ...{ id, dependencies },
    async run({ started, stop }) {
      order.push(`+${id}`);
      started();
      await aborted(stop);
      await Promise.resolve();
      order.push(`-${id}`);
    },
  };
}

Deno.test("Supervisor starts in the order of dependencies and stops the other way round", async () => {
  const order: string[] = [];
  const supervisor = await started(
    traced(order, "kubelet", "cri", "etcd"),
    traced(order, "etcd", "cri"),
    traced(order, "cri"),
  );
  ok(await supervisor.close());
  deepStrictEqual(order, ["+cri", "+etcd", "+kubelet", "-kubelet", "-etcd", "-cri"]);
  deepStrictEqual(states(supervisor, "cri").slice(-2), ["Stopping", "Finished"]);
  throws(() => supervisor.start("cri"), ServiceStateError);
});

Deno.test("Supervisor.close() keeps until the end what stops last", async () => {
  const order: string[] = [];
  const supervisor = await started({ ...traced(order, "apid"), stopsLast: true }, traced(order, "cri"));
  ok(await supervisor.close(undefined, { leaveLast: true }));
  deepStrictEqual(order.slice(2), ["-cri"]);
  ok(await supervisor.close());
  deepStrictEqual(order.slice(3), ["-apid"]);
});

Deno.test("Supervisor.stop() takes down what depends on the service, and only that", async () => {
  const order: string[] = [];
  const supervisor = await started(traced(order, "a"), traced(order, "b", "a"), traced(order, "c"));
  await supervisor.stop("a");
  deepStrictEqual(order.slice(3), ["-b", "-a"]);
  ok(supervisor.isUp("c"));
  await supervisor.close();
});

Deno.test("Supervisor.close() does not start again what ends while it waits for its turn", async () => {
  const [failure, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const run: Runner = async (context) => {
    runs++;
    context.started();
    await Promise.race([failure.promise, aborted(context.stop)]);
  };
  const slow: Runner = async (context) => {
    context.started();
    await release.promise;
  };
  const supervisor = await started({ id: "a", run }, { id: "b", dependencies: ["a"], run: slow });
  const closed = supervisor.close();
  failure.reject(new Error("killed"));
  ok(await supervisor.waitFor(() => supervisor.snapshot("a").state === "Failed", 5000));
  release.resolve();
  ok(await closed);
  strictEqual(runs, 1);
});

Deno.test("a service that does not end is not started a second time before it does", async () => {
  const release = Promise.withResolvers<void>();
  let runs = 0;
  const run: Runner = async ({ started }) => {
    runs++;
    started();
    await release.promise;
  };
  const supervisor = await started({ id: "a", run, stopGraceMs: 1, stuckAfterMs: 1 });
  strictEqual(await supervisor.stop("a"), false);
  strictEqual(supervisor.snapshot("a").state, "Failed");
  supervisor.start("a");
  await rejects(() => supervisor.restart("a"), ServiceStateError);
  strictEqual(runs, 1);
  release.resolve();
  ok(await supervisor.waitFor(() => supervisor.snapshot("a").state === "Finished", 5000));
  ok(await supervisor.stop("a"));
  supervisor.start("a");
  ok(await supervisor.waitFor(() => supervisor.isUp("a"), 5000));
  strictEqual(runs, 2);
  await supervisor.close();
});

Deno.test("Supervisor tells what a service waits for, also while its dependency is not known", async () => {
  const supervisor = new Supervisor();
  supervisor.load({ id: "etcd", dependencies: ["cri"], run: forever });
  supervisor.start();
  const isWaiting = () => supervisor.snapshot("etcd").state === "Waiting";
  ok(await supervisor.waitFor(isWaiting, 5000));
  ok(supervisor.snapshot("etcd").history.at(-1)?.message.includes('"cri"'));
  supervisor.load({ id: "cri", run: forever });
  supervisor.start();
  ok(await supervisor.waitFor(() => supervisor.isUp("etcd"), 5000));
  await supervisor.close();
});

Deno.test("Supervisor restarts at once, then with a pause, and counts", async () => {
  let runs = 0;
  const run: Runner = async (context) => {
    context.started();
    if (++runs < 4) throw new Error("broken");
    await aborted(context.stop);
  };
  const supervisor = new Supervisor();
  supervisor.load({ id: "a", run, backoffMs: { base: 1, limit: 2 } });
  supervisor.start();
  ok(await supervisor.waitFor(() => runs === 4 && supervisor.isUp("a"), 5000));
  strictEqual(supervisor.snapshot("a").restarts, 3);
  deepStrictEqual([0, 1, 2, 3, 9].map((n) => restartPause(n)), [0, 250, 500, 1000, 5000]);
  await supervisor.close();
});

const policies = [
  { name: "once, failed", restart: "once", failures: 1, state: "Failed", restarts: 0 },
  { name: "once, ended", restart: "once", failures: 0, state: "Finished", restarts: 0 },
  { name: "until success", restart: "untilSuccess", failures: 2, state: "Finished", restarts: 2 },
] as const;
for (const { name, restart, failures, state, restarts } of policies) {
  Deno.test(`Supervisor honours the restart policy: ${name}`, async () => {
    let left: number = failures;
    const supervisor = new Supervisor();
    const run: Runner = ({ started }) => {
      started();
      return left-- > 0 ? Promise.reject(new Error("broken")) : Promise.resolve();
    };
    supervisor.load({ id: "a", run, restart, backoffMs: { base: 1, limit: 1 } });
    supervisor.start();
    ok(await supervisor.waitFor(() => supervisor.snapshot("a").state === state, 5000));
    strictEqual(supervisor.snapshot("a").restarts, restarts);
    await supervisor.close();
  });
}

Deno.test("Supervisor reports health, and up means healthy", async () => {
  let failure: string | undefined;
  const check = () => failure === undefined ? Promise.resolve() : Promise.reject(new Error(failure));
  const supervisor = await started({ id: "a", run: forever, health: { check, periodMs: 1, initialDelayMs: 0 } });
  failure = "no quorum";
  ok(await supervisor.waitFor(() => !supervisor.isUp("a"), 5000));
  const { state, health } = supervisor.snapshot("a");
  deepStrictEqual([state, health.healthy, health.unknown, health.lastMessage], ["Running", false, false, "no quorum"]);
  failure = undefined;
  ok(await supervisor.waitFor(() => supervisor.isUp("a"), 5000));
  await supervisor.close();
  strictEqual(supervisor.snapshot("a").health.unknown, true);
});

Deno.test("a health check that hangs counts as failed and does not outlive the service", async () => {
  const supervisor = new Supervisor();
  const check = () => new Promise<void>(() => {});
  supervisor.load({ id: "a", run: forever, health: { check, timeoutMs: 1, initialDelayMs: 0 } });
  supervisor.start();
  ok(await supervisor.waitFor(() => !supervisor.snapshot("a").health.unknown, 5000));
  ok(supervisor.snapshot("a").health.lastMessage.includes("1 ms"));
  await supervisor.close();
});

Deno.test("a service that is not needed is skipped, one whose condition fails has failed", async () => {
  const supervisor = new Supervisor();
  const prepare = () => {
    throw new SkipService("Not a control plane machine");
  };
  supervisor.load({ id: "etcd", prepare, run: forever });
  const condition = { description: "a name", wait: () => Promise.reject(new Error("no name")) };
  supervisor.load({ id: "b", conditions: [condition], run: forever });
  supervisor.start();
  ok(await supervisor.waitFor(() => supervisor.snapshot("etcd").state === "Skipped", 5000));
  ok(await supervisor.waitFor(() => supervisor.snapshot("b").state === "Failed", 5000));
  await supervisor.close();
});

Deno.test("Supervisor keeps 64 steps, publishes each, and keeps the log when a service is loaded again", async () => {
  const events = new EventBus();
  const supervisor = new Supervisor(events);
  supervisor.load({ id: "a", run: forever });
  for (let round = 0; round < 20; round++) {
    supervisor.start("a");
    await supervisor.waitFor(() => supervisor.isUp("a"), 5000);
    if (round === 0) throws(() => supervisor.load({ id: "a", run: forever }), ServiceStateError);
    await supervisor.stop("a");
  }
  strictEqual(supervisor.snapshot("a").history.length, 64);
  strictEqual(events.list({ tailEvents: -1 }).length, 1 + 20 * 5);
  const log = supervisor.log("a");
  supervisor.load({ id: "a", run: forever });
  strictEqual(supervisor.log("a"), log);
  supervisor.unload("a");
  await rejects(() => supervisor.stop("a"), ServiceNotFoundError);
});
