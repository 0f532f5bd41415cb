import type { EventQuery, MachineEvent, ServiceSnapshot } from "../supervisor/mod.ts";

/** What runs on the node. */
export interface VersionInfo {
  /** Release, such as `v1.0.0`. */
  readonly tag: string;
  /** Commit that it was built from. */
  readonly sha: string;
  /** When it was built, RFC 3339; empty when not recorded. */
  readonly built: string;
  /** The language runtime, such as `deno 2.9.4`. */
  readonly runtime: string;
  readonly os: string;
  /** `amd64` or `arm64`. */
  readonly arch: string;
  /** Where it runs: `metal`, `container`, a cloud. */
  readonly platform: string;
  /** `metal`, `container` or `cloud`. */
  readonly mode: string;
}

/** How a config is to take effect. `auto` reboots where it must. */
export type ApplyMode = "auto" | "no-reboot" | "staged" | "try";

/** A config to apply. */
export interface ApplyRequest {
  /** The machine config, YAML in UTF-8. */
  readonly data: Uint8Array;
  readonly mode: ApplyMode;
  /** Validate and show what would change; change nothing. */
  readonly dryRun: boolean;
  /** With `try`: after this time the old config comes back. */
  readonly tryTimeoutMs: number;
}

/** What applying a config came to. */
export interface ApplyResult {
  /** The mode that was chosen, which differs from `auto`. */
  readonly mode: ApplyMode;
  /** What a person should read: the diff of a dry run, or why a reboot follows. */
  readonly modeDetails: string;
  readonly warnings: readonly string[];
}

/** Which part of a log. */
export interface LogOptions {
  /** Go on with new lines until the signal aborts. */
  readonly follow: boolean;
  /** Only so many of the last lines; undefined for all that are kept. */
  readonly tailLines: number | undefined;
  readonly signal: AbortSignal;
}

/** How a machine is restarted. */
export type RebootMode = "default" | "powercycle" | "force";

/**
 * The machine behind the API. Errors keep their class; their codes are rows of the server's error table. Sequences run
 * in the background: their calls answer with an actor id, which the events of that sequence carry.
 */
export interface MachineBackend {
  version(): VersionInfo;
  hostname(): string;
  services(): readonly ServiceSnapshot[];
  /** Bytes of a service's log in the order of writing; ends when `signal` aborts. */
  logs(id: string, options: LogOptions): AsyncIterable<Uint8Array>;
  /** Past events that the query asks for, then new ones until the signal aborts. */
  events(query: EventQuery, signal: AbortSignal): AsyncIterable<MachineEvent>;
  applyConfiguration(request: ApplyRequest): Promise<ApplyResult>;
  /** Answers with the actor id. */
  reboot(mode: RebootMode): string;
  /** `force` skips leaving the cluster in good order. Answers with the actor id. */
  shutdown(options: { readonly force: boolean }): string;
}
