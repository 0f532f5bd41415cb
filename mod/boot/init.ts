import { denyToChildren } from "../../kernel/capability.ts";
import { SyscallError } from "../../kernel/ffi.ts";
import { hostname, reboot, setHostname } from "../../kernel/machine.ts";
import { onPowerButton } from "../../kernel/power_button.ts";
import { setParentDeathSignal, setProcessName } from "../../kernel/process.ts";
import { Reactor } from "../../kernel/reactor.ts";
import { getRlimit, setRlimit } from "../../kernel/rlimit.ts";
import { onSignals, unblockSignals } from "../../kernel/signal.ts";
import { Cgroups, EventBus, LogBuffer, Processes, Reaper, Supervisor } from "../supervisor/mod.ts";
import { Console } from "./console.ts";
import { loadDeviceModules } from "./devices.ts";
import { enterRoot } from "./early_root.ts";
import { OBEYED_SIGNALS, WRAPPER_NAME } from "./exec_spec.ts";
import type { BootMode } from "./mount_plan.ts";
import { type BootDiagnostic, mountFileSystems } from "./mounts.ts";
import { type DownKind, type DownOptions, type DownParts, goDown } from "./power.ts";
import { Sequencer } from "./sequence.ts";

/** Open files a service may have. */
const OPEN_FILES = 1_048_576n;
const DEFAULT_HOSTNAME = "monos";

/** What the rest of the program is built on. */
export interface System extends DownParts {
  readonly console: Console;
  /** What the program itself has logged. */
  readonly ownLog: LogBuffer;
  readonly reactor: Reactor;
  readonly cgroups: Cgroups;
  readonly processes: Processes;
  /** What the machine or its host cannot give. */
  readonly diagnostics: readonly BootDiagnostic[];
  /** Resolves once the drivers of all devices that are there at the start have been loaded; never rejects. */
  readonly driversLoaded: Promise<void>;
  /** Takes the machine down; {@link goDown} with everything that it needs. */
  goDown(kind: DownKind, options?: DownOptions): Promise<never>;
}

/** What {@link earlyInit} goes by. */
export interface InitOptions {
  /** By default, what {@link bootMode} finds. */
  mode?: BootMode;
  /** Until a config says otherwise; what the kernel has already if it is not `(none)`. */
  hostname?: string;
}

/** Who we are: PID 1 of a kernel, PID 1 of namespaces (the variable `container` is set, as by custom), or neither. */
export function bootMode(pid = Deno.pid, container = Deno.env.get("container")): BootMode {
  if (pid !== 1) return "node";
  return container === undefined || container === "" ? "machine" : "container";
}

/**
 * The first thing that PID 1 does: file systems, console, host name, limits, control groups, the reactor and the
 * reaper, signals. From here on nothing that throws ends the program.
 *
 * @throws {SyscallError} if a file system cannot be had that nothing works without
 */
export function earlyInit(options: InitOptions = {}): System {
  const mode = options.mode ?? bootMode();
  const ownLog = new LogBuffer();
  const console = new Console(ownLog);
  const log = (text: string) => console.log(text);
  // Before any other listener: with the first one Deno takes SIGTERM, SIGINT and SIGHUP over, and would end the program
  // at one that nobody listens to. Nothing is called back before this function is done.
  onSignals(OBEYED_SIGNALS, (signal) => obeySignal(signal, mode, down, log));
  unblockSignals(OBEYED_SIGNALS); // a wrapper may have held them back until now
  surviveErrors(log);

  const diagnostics: BootDiagnostic[] = [];
  if (mode !== "node") {
    setProcessName("monos");
    if (mode === "container" && Deno.env.get("container") === WRAPPER_NAME) setParentDeathSignal("SIGKILL");
    if (mode === "machine") enterRoot();
    diagnostics.push(...mountFileSystems(mode));
    if (mode === "machine") {
      console.useKernelLog();
      reboot("disableCad"); // Ctrl-Alt-Del reaches us as SIGINT
    }
    nameHost(options.hostname);
  }
  const reactor = new Reactor((error) => log(`Cannot handle an event of the kernel: ${describe(error)}`));
  if (mode !== "node") console.neverWait(reactor);
  const reaper = new Reaper({ orphans: mode !== "node" });
  const cgroups = new Cgroups();
  if (mode !== "node") diagnostics.push(...prepareForChildren(cgroups));
  for (const { id, message } of diagnostics) log(`${id}: ${message}`);

  const events = new EventBus();
  const supervisor = new Supervisor(events);
  const sequencer = new Sequencer(events, log);
  const warn = (id: string, text: string) => log(`${id}: ${text}`);
  const processes = new Processes(reactor, reaper, mode === "node" ? undefined : cgroups, warn);
  const parts: DownParts = { mode, supervisor, reaper, events, sequencer, log };
  const down = (kind: DownKind, options?: DownOptions) => goDown(kind, parts, options);
  if (mode === "machine") obeyPowerButton(reactor, down, log);
  const driversLoaded = mode === "machine" ? loadDrivers(log) : Promise.resolve();
  return { ...parts, console, ownLog, reactor, cgroups, processes, diagnostics, driversLoaded, goDown: down };
}

/** An error that nobody caught is told, and the program goes on. */
function surviveErrors(log: (text: string) => void): void {
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    log(`Nobody handled a rejection: ${describe(event.reason)}`);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    log(`Nobody caught an error: ${describe(event.error ?? event.message)}`);
  });
}

async function loadDrivers(log: (text: string) => void): Promise<void> {
  const started = performance.now();
  try {
    const names = await loadDeviceModules(log);
    log(`Loaded ${names.length} drivers in ${Math.round(performance.now() - started)} ms: ${names.join(", ")}`);
  } catch (error) {
    log(`Cannot load drivers: ${describe(error)}`);
  }
}

function nameHost(wanted: string | undefined): void {
  const current = hostname();
  if (wanted !== undefined) setHostname(wanted);
  else if (current === "(none)" || current === "") setHostname(DEFAULT_HOSTNAME);
}

/** Limits that children inherit, and the control groups that they go to. */
function prepareForChildren(cgroups: Cgroups): BootDiagnostic[] {
  const found: BootDiagnostic[] = [];
  const attempt = (id: string, step: () => void) => {
    try {
      step();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      found.push({ id, message: error.message });
    }
  };
  attempt("open-files", raiseOpenFiles);
  attempt("capabilities", () => {
    denyToChildren("CAP_SYS_BOOT");
    denyToChildren("CAP_SYS_MODULE");
  });
  attempt("cgroups", () => cgroups.setUpRoot());
  return found;
}

/** Up to the hard limit where raising that one is not allowed. */
function raiseOpenFiles(): void {
  try {
    setRlimit("nofile", { current: OPEN_FILES, maximum: OPEN_FILES });
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const { maximum } = getRlimit("nofile");
    setRlimit("nofile", { current: maximum, maximum });
  }
}

/**
 * SIGTERM, and SIGPWR of a host that stops its containers, shut down; SIGINT is Ctrl-Alt-Del in a machine and Ctrl-C
 * in a container. SIGHUP means something only where there is a terminal that can be closed.
 */
function obeySignal(
  signal: Deno.Signal,
  mode: BootMode,
  down: (kind: DownKind) => Promise<never>,
  log: (text: string) => void,
): void {
  log(`Got ${signal}`);
  if (signal === "SIGHUP" && mode !== "node") return;
  const kind = signal === "SIGINT" && mode === "machine" ? "reboot" : "shutdown";
  down(kind).catch((error) => log(describe(error)));
}

function obeyPowerButton(
  reactor: Reactor,
  down: (kind: DownKind) => Promise<never>,
  log: (text: string) => void,
): void {
  try {
    onPowerButton(reactor, () => {
      log("The power button was pressed");
      down("shutdown").catch((error) => log(describe(error)));
    });
  } catch (error) {
    log(`The power button has no effect: ${describe(error)}`);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
