import { createHash } from "node:crypto";
import { connect } from "node:tls";
import { dist } from "./paths.ts";
import { commandOutput, TaskError } from "./task.ts";

/** A virtual machine to start. */
export interface VmOptions {
  /** Names its folder `dist/nodes/NAME/`, which must exist. */
  name: string;
  /** How it boots, as arguments of QEMU. */
  bootArguments: readonly string[];
  /** The loopback port that leads to the machine API. */
  apiPort: number;
  /** Detached, it outlives this process and its console goes to its log only. */
  detach: boolean;
  /**
   * Path of a unix socket, of 107 bytes at most, that takes what is typed on the console of a detached machine. Ctrl-A
   * is QEMU's there: followed by `b` it is a BREAK, which with a key behind it is a SysRq; by `c`, commands of QEMU's own
   * may follow.
   */
  consoleSocket?: string;
}

/**
 * One processor: with several, each in a thread of its own, this QEMU sometimes misses that a kernel has patched its own
 * code ("Oops: int3"). And nothing that is not used: a kernel waits seconds for drives that might be on a controller.
 */
const HARDWARE = [
  ...["-accel", "tcg,thread=single", "-smp", "1", "-m", "2048", "-nodefaults", "-display", "none"],
  ...["-machine", "q35,sata=off,smbus=off,i8042=off,vmport=off"],
  ...["-cpu", "max,la57=off"], // a fifth level of page tables only costs time
];
/** The address that QEMU's own network forwards to, with its gateway and name server. */
export const VM_NETWORK = {
  address: "10.0.2.15",
  gateway: "10.0.2.2",
  netmask: "255.255.255.0",
  dns: "10.0.2.3",
} as const;

/** The parts of the kernel command line that every virtual machine here gets: console, and a static address. */
export const VM_KERNEL_ARGUMENTS = [
  "console=ttyS0",
  "net.ifnames=0",
  "panic=10",
  "talos.platform=metal",
  `ip=${VM_NETWORK.address}::${VM_NETWORK.gateway}:${VM_NETWORK.netmask}::eth0:off:${VM_NETWORK.dns}`,
].join(" ");

/** A virtual machine that runs. */
export interface Vm {
  /** Settles when QEMU has ended, with its exit code. Never for a detached one. */
  ended: Promise<number>;
  /** Ends it at once; not there for a detached one, which {@link stopVm} ends. */
  stop?(): Promise<void>;
}

/**
 * Starts QEMU without hardware acceleration. Its console is logged to `console.log`, its process id is in `qemu.pid`.
 * @throws {TaskError} when a machine of that name runs already, or QEMU does not start
 */
export async function startVm(options: VmOptions): Promise<Vm> {
  const { name, bootArguments, apiPort, detach } = options;
  const folder = dist("nodes", name);
  if (await runningPid(name) !== undefined) {
    throw new TaskError(`Cannot start "${name}": it is running`, `End it with the task "down --name ${name}".`);
  }
  const log = `${folder}/console.log`;
  await Deno.writeFile(log, new Uint8Array());
  const argv = [
    ...["-name", name, "-uuid", machineUuid(folder), ...HARDWARE, "-pidfile", `${folder}/qemu.pid`],
    // Without its option ROM the card offers no network boot, which a firmware would try for a minute.
    ...["-netdev", `user,id=net0,hostfwd=tcp:127.0.0.1:${apiPort}-:50000`],
    ...["-device", "virtio-net-pci,netdev=net0,romfile="],
    ...["-chardev", `${consoleBackend(options, log)},id=console`],
    ...["-serial", "chardev:console"],
    ...(options.consoleSocket === undefined ? [] : ["-mon", "chardev=console,mode=readline"]),
    ...bootArguments,
  ];
  if (detach) {
    await commandOutput(["qemu-system-x86_64", ...argv, "-daemonize"]);
    return { ended: new Promise(() => {}) };
  }
  const child = new Deno.Command("qemu-system-x86_64", { args: argv, stdin: "null" }).spawn();
  const stop = () => {
    try {
      child.kill("SIGTERM");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended
    }
  };
  // Ctrl-C reaches QEMU by itself, being in the same terminal; this process must live on to clean up.
  const ignore = () => {};
  Deno.addSignalListener("SIGINT", ignore);
  Deno.addSignalListener("SIGTERM", stop);
  const ended = child.status.then((status) => {
    Deno.removeSignalListener("SIGINT", ignore);
    Deno.removeSignalListener("SIGTERM", stop);
    return status.code;
  });
  return {
    ended,
    async stop() {
      stop();
      await ended;
    },
  };
}

/** What its firmware says who it is, as a board does for life: the same at every start of the same machine. */
export function machineUuid(folder: string): string {
  const hex = createHash("sha256").update(folder).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** What is on the other end of the serial line. */
function consoleBackend({ detach, consoleSocket }: VmOptions, log: string): string {
  if (!detach) return `stdio,signal=off,logfile=${log}`;
  return consoleSocket === undefined
    ? `file,path=${log}`
    : `socket,path=${consoleSocket},server=on,wait=off,mux=on,logfile=${log}`;
}

/**
 * Ends a virtual machine at once, as pulling its plug would.
 * @returns false when none of that name runs
 */
export async function stopVm(name: string): Promise<boolean> {
  const pid = await runningPid(name);
  if (pid === undefined) return false;
  signal(pid, "SIGTERM");
  for (let tries = 0; await runningPid(name) !== undefined; tries++) {
    if (tries === 100) signal(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // it ended by itself
  }
}

/** The process of a virtual machine, if it runs; a process that only got the same id does not count. */
export async function runningPid(name: string): Promise<number | undefined> {
  const file = dist("nodes", name, "qemu.pid");
  try {
    const pid = Number((await Deno.readTextFile(file)).trim());
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
    const argv = (await Deno.readTextFile(`/proc/${pid}/cmdline`)).split("\0");
    return argv.includes(file) ? pid : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined; // never started, or ended meanwhile
    throw error;
  }
}

/** `preferred` if that loopback port is free, else another free one. */
export function freePort(preferred: number): number {
  for (const port of [preferred, 0]) {
    try {
      using listener = Deno.listen({ hostname: "127.0.0.1", port });
      return listener.addr.port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
  throw new TaskError("Cannot find a free loopback port");
}

/**
 * Waits until something answers on a loopback port with TLS. QEMU accepts connections for a machine that is not up
 * yet, so only a handshake tells; it is tried again as soon as the connection is refused or has been silent too long.
 * @throws {TaskError} when it does not within `timeoutMs`
 */
export async function waitForTls(port: number, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (await answersWithTls(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new TaskError(`Cannot reach the machine API on 127.0.0.1:${port}: no answer within ${timeoutMs / 1000} s`);
}

const HANDSHAKE_TIMEOUT_MS = 2000;

function answersWithTls(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Whether the answer can be trusted is for its real clients to check.
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(HANDSHAKE_TIMEOUT_MS, () => settle(false));
    socket.once("secureConnect", () => settle(true));
    socket.once("error", () => settle(false)); // refused or cut off: not up yet
    socket.once("close", () => settle(false));
  });
}
