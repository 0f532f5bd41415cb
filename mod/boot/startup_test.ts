import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { aborted, EventBus, type Runner, SkipService, Supervisor } from "../supervisor/mod.ts";
import { SequenceCanceledError, Sequencer } from "./sequence.ts";
import { bootSequence } from "./startup.ts";

const forever: Runner = async ({ started, stop }) => {
  started();
  await aborted(stop);
};
const skipped = () => {
  throw new SkipService("Not here");
};

Deno.test("bootSequence() waits for its needs, then for all services to be up or left out", async () => {
  const supervisor = new Supervisor();
  supervisor.load({ id: "a", run: forever });
  supervisor.load({ id: "b", dependencies: ["a"], run: forever });
  supervisor.load({ id: "c", prepare: skipped, run: forever });
  const config = Promise.withResolvers<void>();
  const needs = [{ description: "loadConfig", wait: () => config.promise }];
  const sequencer = new Sequencer(new EventBus(), () => {});
  const boot = sequencer.run(bootSequence(supervisor, needs));
  strictEqual(supervisor.snapshot("a").state, "Initialized");
  config.resolve();
  await boot;
  deepStrictEqual(supervisor.snapshots().map(({ state }) => state), ["Running", "Running", "Skipped"]);
  await supervisor.close();
});

Deno.test("bootSequence() lets go of a service that never comes up when the machine goes down", async () => {
  const supervisor = new Supervisor();
  supervisor.load({ id: "a", dependencies: ["unknown"], run: forever });
  const sequencer = new Sequencer(new EventBus(), () => {});
  const boot = rejects(sequencer.run(bootSequence(supervisor)), SequenceCanceledError);
  await sequencer.run({ name: "shutdown", phases: [] });
  await boot;
  await supervisor.close();
});
