import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { aborted, EventBus } from "../supervisor/mod.ts";
import {
  mayTakeOver,
  SequenceCanceledError,
  SequenceLockedError,
  Sequencer,
  type Task,
  TaskFailedError,
} from "./sequence.ts";

function sequencer() {
  const events = new EventBus();
  const lines: string[] = [];
  const steps = () =>
    events.list({ tailEvents: -1 }).map(({ payload }) => {
      switch (payload.kind) {
        case "sequence":
          return `${payload.sequence} ${payload.action}${payload.error ? ` ${payload.error.code}` : ""}`;
        case "phase":
          return `${payload.phase} ${payload.action}`;
        case "task":
          return `${payload.task} ${payload.action}`;
        default:
          return payload.kind;
      }
    });
  return { events, lines, steps, sequencer: new Sequencer(events, (text) => lines.push(text)) };
}
const nothing = (name: string): Task => ({ name, run() {} });

Deno.test("Sequencer runs phases in order, tasks at the same time, and tells of each under one actor", async () => {
  const { sequencer: one, steps, events } = sequencer();
  const phases = [{ name: "p", tasks: [nothing("a"), nothing("b")] }, { name: "q", tasks: [nothing("c")] }];
  await one.run({ name: "boot", phases }, "me");
  deepStrictEqual(steps(), [
    ...["boot start", "p start", "a start", "b start", "a stop", "b stop", "p stop"],
    ...["q start", "c start", "c stop", "q stop", "boot stop"],
  ]);
  strictEqual(events.list({ tailEvents: -1, actorId: "me" }).length, 12);
  strictEqual(one.running, undefined);
});

Deno.test("Sequencer ends at a task that fails or is late, unless it may", async () => {
  const { sequencer: one, steps, lines } = sequencer();
  const late: Task = { name: "late", run: (signal) => aborted(signal), deadlineMs: 1 };
  const phases = (task: Task) => [{ name: "p", tasks: [task] }, { name: "q", tasks: [nothing("next")] }];
  await rejects(() => one.run({ name: "boot", phases: phases(late) }), TaskFailedError);
  deepStrictEqual(steps().slice(-2), ["p stop", "boot stop fatal"]);
  await one.run({ name: "shutdown", phases: phases({ ...late, mayFail: true }) });
  deepStrictEqual(steps().slice(-3), ["next stop", "q stop", "shutdown stop"]);
  strictEqual(lines.length, 1);
});

Deno.test("Sequencer lets going down cut a boot short, and refuses the rest", async () => {
  const { sequencer: one, steps } = sequencer();
  const waiting = { name: "p", tasks: [{ name: "wait", run: (signal: AbortSignal) => aborted(signal) }] };
  const boot = rejects(one.run({ name: "boot", phases: [waiting, waiting] }), SequenceCanceledError);
  await rejects(() => one.run({ name: "install", phases: [] }), SequenceLockedError);
  await one.run({ name: "reboot", phases: [] });
  await boot;
  const order = ["boot stop canceled", "reboot start", "reboot stop"];
  deepStrictEqual(steps().filter((step) => order.includes(step)), order);
  ok(steps().includes("install noop locked"));
  deepStrictEqual([mayTakeOver("reboot", "reboot"), mayTakeOver("boot", "shutdown")], [true, false]);
});
