import {
  ApiError,
  type ApplyMode,
  type ApplyRequest,
  type ApplyResult,
  type LogOptions,
  type MachineBackend,
  type RebootMode,
} from "../api/mod.ts";
import {
  changesNeedReboot,
  ConfigError,
  decodeConfig,
  diffConfig,
  formatProblem,
  type MachineMode,
  validateConfig,
} from "../config/mod.ts";
import { type EventQuery, type LogBuffer, type MachineEvent, newXid, type ServiceSnapshot } from "../supervisor/mod.ts";
import { API_VERSION, NAME } from "../version/mod.ts";
import { authorityProblem } from "./authority_problem.ts";
import { type DownKind, type DownOptions, mayTakeOver, type System } from "../boot/mod.ts";

/** Id of the log that the program itself writes. */
const OWN_LOG_ID = "machined";

/** Where the backend gets at the machine's config and name. */
export interface BackendParts {
  readonly system: System;
  /** What configs are validated for. */
  readonly mode: MachineMode;
  hostname(): string;
  /** Text of the config that the machine works by; undefined before there is one. */
  activeConfig(): string | undefined;
  /** Puts a valid config in force; answers when it is on disk and known to all. */
  submit(request: {
    readonly text: string;
    readonly mode: "now" | "staged" | "try";
    readonly tryTimeoutMs: number;
  }): Promise<void>;
}

/** The machine as its API serves it. */
export class NodeBackend implements MachineBackend {
  readonly #parts: BackendParts;

  constructor(parts: BackendParts) {
    this.#parts = parts;
  }

  version(): ReturnType<MachineBackend["version"]> {
    const { mode } = this.#parts;
    return {
      tag: API_VERSION,
      sha: "",
      built: "",
      runtime: `${NAME} on Deno ${Deno.version.deno}`,
      os: Deno.build.os,
      arch: Deno.build.arch === "x86_64" ? "amd64" : "arm64",
      platform: mode,
      mode,
    };
  }

  hostname(): string {
    return this.#parts.hostname();
  }

  services(): readonly ServiceSnapshot[] {
    return this.#parts.system.supervisor.snapshots();
  }

  async *logs(id: string, { follow, tailLines, signal }: LogOptions): AsyncGenerator<Uint8Array, void> {
    const log = this.#log(id);
    if (follow) yield* log.follow(signal, tailLines);
    else yield log.read(tailLines);
  }

  #log(id: string): LogBuffer {
    const { supervisor, ownLog } = this.#parts.system;
    return id === OWN_LOG_ID || id === "kernel" ? ownLog : supervisor.log(id);
  }

  events(query: EventQuery, signal: AbortSignal): AsyncIterable<MachineEvent> {
    return this.#parts.system.events.follow(query, signal);
  }

  async applyConfiguration({ data, mode, dryRun, tryTimeoutMs }: ApplyRequest): Promise<ApplyResult> {
    const text = textOf(data);
    const before = this.#parts.activeConfig();
    const { warnings, needReboot } = this.#check(text, before);
    if (needReboot.length > 0 && mode !== "staged") {
      const how = "apply it with mode staged and reboot";
      throw new ApiError(
        "FAILED_PRECONDITION",
        `Cannot apply the config without a reboot: ${needReboot.join(", ")} would change; ${how}`,
      );
    }
    const chosen = mode === "auto" ? "no-reboot" : mode;
    const details = modeDetails(chosen, tryTimeoutMs);
    if (dryRun) return { mode: chosen, modeDetails: dryRunText(before, text, details), warnings };
    await this.#parts.submit({ text, mode: chosen === "no-reboot" ? "now" : chosen, tryTimeoutMs });
    return { mode: chosen, modeDetails: details, warnings };
  }

  /** Everything is checked before anything changes. @throws {ConfigError} with every problem */
  #check(text: string, before: string | undefined): { warnings: string[]; needReboot: readonly string[] } {
    const config = decodeConfig(text);
    const { errors, warnings } = validateConfig(config, this.#parts.mode);
    if (errors.length > 0) throw new ConfigError("apply", errors);
    if (config.v1alpha1 === undefined) {
      throw new ApiError("INVALID_ARGUMENT", "Cannot apply the config: it has no v1alpha1 document");
    }
    const problem = authorityProblem(config);
    if (problem !== undefined) throw new ApiError("INVALID_ARGUMENT", `Cannot apply the config: ${problem}`);
    const needReboot = before === undefined ? [] : changesNeedReboot(decodeConfig(before), config);
    return { warnings: [...warnings.map(formatProblem), ...unusedWarning(config.unused)], needReboot };
  }

  /** There is no way around the firmware yet, so that power-cycling is what every restart does. */
  reboot(mode: RebootMode): string {
    return this.#goDown("reboot", { force: mode === "force" });
  }

  shutdown(): string {
    return this.#goDown("shutdown");
  }

  #goDown(kind: DownKind, options: DownOptions = {}): string {
    const { sequencer, goDown, log } = this.#parts.system;
    const { running } = sequencer;
    if (running !== undefined && !mayTakeOver(kind, running)) {
      throw new ApiError("FAILED_PRECONDITION", `Cannot ${kind}: the machine is busy with ${running}`);
    }
    const actorId = newXid();
    goDown(kind, { ...options, actorId }).catch((error) =>
      log(`Cannot ${kind}: ${error instanceof Error ? error.message : error}`)
    );
    return actorId;
  }
}

function textOf(data: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch (cause) {
    throw new ApiError("INVALID_ARGUMENT", "Cannot apply the config: it is not UTF-8 text", { cause });
  }
}

/** One warning for all that is accepted and has no effect yet. */
function unusedWarning(unused: readonly string[]): string[] {
  return unused.length === 0 ? [] : [`accepted, but without effect in this version: ${unused.join(", ")}`];
}

function dryRunText(before: string | undefined, after: string, details: string): string {
  const changes = before === undefined ? after : diffConfig(before, after);
  return `Dry run: nothing was changed. Otherwise: ${details}.\n${
    changes === "" ? "The config says what the machine has already.\n" : changes
  }`;
}

function modeDetails(mode: ApplyMode, tryTimeoutMs: number): string {
  switch (mode) {
    case "staged":
      return "Staged, takes effect at the next boot";
    case "try":
      return `Applied for ${tryTimeoutMs / 1000} s; applied again within that time, it stays`;
    default:
      return "Applied without a reboot";
  }
}
