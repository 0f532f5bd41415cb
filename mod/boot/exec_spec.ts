/** Value of the variable `container` in a node that our own wrapper has started: it dies with the wrapper. */
export const WRAPPER_NAME = "monos";

/** Signals that mean something to our own program as PID 1. */
export const OBEYED_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGPWR"] as const;

/** What `exec` runs: a program as PID 1 of fresh namespaces, in a root of its own. All paths are the host's. */
export interface ExecSpec {
  /** Folder that becomes `/`; never written to. */
  root: string;
  /** Empty folder that the root is put together on; nothing is left there afterwards. */
  target: string;
  /** Makes the root writable: changes go into `upper`; `work` is an empty folder on the same file system. */
  overlay?: { upper: string; work: string };
  /** Host files and folders, by their path in the node; mount points that are missing are made, given an overlay. */
  binds?: readonly { source: string; target: string; readOnly?: boolean }[];
  /** File that descriptors 1 and 2 of the program are appended to. */
  console: string;
  /** The program and its arguments; `argv[0]` is its path in the node. */
  argv: readonly string[];
  /** Its whole environment; `container=monos` is added. */
  env?: Readonly<Record<string, string>>;
  hostname?: string;
  /** Group for everything in the node, in all hierarchies of the host, e.g. `monos/demo`; removed at the end. */
  cgroup?: string;
  /** Descriptor that gets an {@link ExecStatus} as a line of JSON at every step. */
  statusFd?: number;
  /**
   * Descriptor that is waited on, until a line or its end comes, between the first status and the start of the
   * program: the time to move links into the network namespace. At the end without a line nothing is started.
   */
  goFd?: number;
  /** The program gets {@link OBEYED_SIGNALS} blocked, and lets them through once it listens: none is lost before. */
  holdSignals?: boolean;
  /** The wrapper, and so the node, dies with the process that has started it. */
  dieWithParent?: boolean;
}

/** What the wrapper tells. */
export type ExecStatus =
  /** Namespaces are there; `pid` is the wrapper, whose network namespace is the node's. */
  | { stage: "namespaces"; pid: number }
  /** The program runs; `pid` is its pid on the host. */
  | { stage: "started"; pid: number }
  /** It called for a restart, and gets one, in fresh mount and PID namespaces. */
  | { stage: "restarting" }
  /** It has ended and nothing is left of it. */
  | { stage: "ended"; code: number; signal: number };
