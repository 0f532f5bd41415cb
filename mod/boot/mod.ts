export { Console } from "./console.ts";
export { runExec } from "./exec.ts";
export { NodeCgroup } from "./exec_cgroup.ts";
export type { ExecSpec, ExecStatus } from "./exec_spec.ts";
export { bootMode, earlyInit, type InitOptions, type System } from "./init.ts";
export type { BootMode } from "./mount_plan.ts";
export type { BootDiagnostic } from "./mounts.ts";
export type { DownKind, DownOptions } from "./power.ts";
export {
  mayTakeOver,
  type Phase,
  type Sequence,
  SequenceCanceledError,
  SequenceLockedError,
  type SequenceName,
  Sequencer,
  type Task,
  TaskFailedError,
} from "./sequence.ts";
export { bootSequence } from "./startup.ts";
