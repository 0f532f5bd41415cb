import { deepStrictEqual, rejects } from "node:assert/strict";
import { aborted, EventBus, Reaper, Supervisor } from "../supervisor/mod.ts";
import { diskPhases, downPhases, goDown } from "./power.ts";
import { SequenceCanceledError, Sequencer } from "./sequence.ts";

for (
  const { name, force, graces } of [
    { name: "stops services in good order, the API last", force: false, graces: ["etcd 5000", "apid 5000"] },
    {
      name: "kills them by force, but for the API, which has an answer to give",
      force: true,
      graces: ["etcd 0", "apid 5000"],
    },
  ]
) {
  Deno.test(`downPhases() ${name}`, async () => {
    const seen: string[] = [];
    const events = new EventBus();
    const supervisor = new Supervisor(events);
    for (const id of ["etcd", "apid"]) {
      supervisor.load({
        id,
        stopsLast: id === "apid",
        async run({ started, stop, graceMs }) {
          started();
          await aborted(stop);
          seen.push(`${id} ${graceMs()}`);
        },
      });
    }
    supervisor.start();
    using reaper = new Reaper({ orphans: false });
    const sequencer = new Sequencer(events, () => {});
    const parts = { mode: "node", supervisor, reaper, events, sequencer, log: () => {} } as const;
    await supervisor.waitFor(() => supervisor.isUp("etcd") && supervisor.isUp("apid"), 5000);
    await sequencer.run({ name: "reboot", phases: downPhases(parts, { force }) });
    deepStrictEqual(seen, graces);
  });
}

Deno.test("goDown() leaves the end to the way down that took over", async () => {
  const stopping = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
  const events = new EventBus();
  const supervisor = new Supervisor(events);
  supervisor.load({
    id: "slow",
    async run({ started, stop }) {
      started();
      await aborted(stop);
      stopping.resolve();
      await release.promise;
    },
  });
  supervisor.start();
  await supervisor.waitFor(() => supervisor.isUp("slow"), 5000);
  using reaper = new Reaper({ orphans: false });
  const sequencer = new Sequencer(events, () => {});
  const first = goDown("reboot", { mode: "node", supervisor, reaper, events, sequencer, log: () => {} });
  await stopping.promise;
  const second = sequencer.run({ name: "reboot", phases: [] });
  release.resolve();
  await rejects(first, SequenceCanceledError);
  await second;
});

for (
  const { name, answers, done } of [
    { name: "unmounts what was synced", answers: true, done: ["unmount"] },
    { name: "does not wait for a disk that does not answer", answers: false, done: ["log", "log"] },
  ]
) {
  Deno.test(`diskPhases() ${name}`, async () => {
    const seen: string[] = [];
    const log = () => void seen.push("log");
    const sync = () => answers ? Promise.resolve() : new Promise<void>(() => {});
    const phases = diskPhases(log, { sync, unmount: () => void seen.push("unmount") }, 10);
    await new Sequencer(new EventBus(), log).run({ name: "shutdown", phases });
    deepStrictEqual(seen, done);
  });
}
