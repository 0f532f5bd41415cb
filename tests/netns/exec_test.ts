import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readMounts } from "../../kernel/mount.ts";
import type { ExecSpec, ExecStatus } from "../../mod/boot/mod.ts";

const MOD = new URL("../../mod/boot/mod.ts", import.meta.url).href;
const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));
const ROLE = `import { runExec } from "${MOD}"; Deno.exit(await runExec(Deno.args[0] ?? ""));`;

/** A wrapper that runs a shell script as PID 1 of an overlay which has the host's programs bound into it. */
class Wrapper implements AsyncDisposable {
  readonly folder = Deno.makeTempDirSync({ prefix: "exec-" });
  readonly spec: ExecSpec;
  readonly process: Deno.ChildProcess;
  readonly #lines: AsyncGenerator<ExecStatus, void>;
  #input: WritableStreamDefaultWriter<Uint8Array> | undefined;

  constructor(script: string, more: Partial<ExecSpec> = {}) {
    for (const name of ["root/proc", "root/tmp", "target", "upper", "work"]) {
      Deno.mkdirSync(`${this.folder}/${name}`, { recursive: true });
    }
    this.spec = {
      root: `${this.folder}/root`,
      target: `${this.folder}/target`,
      overlay: { upper: `${this.folder}/upper`, work: `${this.folder}/work` },
      binds: ["/bin", "/lib", "/lib64", "/usr"].map((path) => ({ source: path, target: path, readOnly: true })),
      console: `${this.folder}/console.log`,
      argv: ["/bin/sh", "-c", `mount -t proc proc /proc; ${script}`],
      env: { PATH: "/usr/sbin:/usr/bin" },
      hostname: "inside",
      ...{ statusFd: 1, goFd: 0, dieWithParent: true },
      ...more,
    };
    this.process = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-lock", `--config=${CONFIG}`, ROLE, JSON.stringify(this.spec)],
      ...{ stdin: "piped", stdout: "piped", stderr: "inherit" },
    }).spawn();
    this.#input = this.process.stdin.getWriter();
    this.#lines = statuses(this.process.stdout);
  }

  async next(): Promise<ExecStatus> {
    const { value } = await this.#lines.next();
    if (value === undefined) throw new Error("The wrapper has ended");
    return value;
  }

  /** Closes the reading end of the statuses. */
  async stopListening(): Promise<void> {
    await this.#lines.return();
  }

  async go(): Promise<void> {
    await this.#input?.write(new TextEncoder().encode("go\n"));
    await this.hangUp();
  }

  async hangUp(): Promise<void> {
    await this.#input?.close();
    this.#input = undefined;
  }

  /** Pid of the program on the host, once it runs. */
  async started(): Promise<number> {
    const first = await this.next();
    deepStrictEqual(first, { stage: "namespaces", pid: this.process.pid });
    await this.go();
    const status = await this.next();
    if (status.stage !== "started") throw new Error(`The wrapper tells ${status.stage}`);
    return status.pid;
  }

  get console(): string {
    return Deno.readTextFileSync(this.spec.console);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.process.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended
    }
    await this.hangUp();
    await this.process.status;
    for await (const _ of this.#lines); // to the end, so that the stream is closed
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function* statuses(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<ExecStatus, void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as ExecStatus;
  }
}

Deno.test("exec runs a program as PID 1 of namespaces and a root of its own, and leaves nothing", async () => {
  const before = readMounts().length;
  const script = "echo pid $$ $(hostname) $container; ls /; touch /new; readlink /proc/self/ns/net; exit 7";
  await using wrapper = new Wrapper(script);
  await wrapper.started();
  deepStrictEqual(await wrapper.next(), { stage: "ended", code: 7, signal: 0 });
  strictEqual((await wrapper.process.status).code, 7);
  const [first, ...lines] = wrapper.console.trim().split("\n");
  strictEqual(first, "pid 1 inside monos");
  deepStrictEqual(lines.slice(0, -1), ["bin", "lib", "lib64", "proc", "tmp", "usr"]);
  notStrictEqual(lines.at(-1), Deno.readLinkSync("/proc/self/ns/net"));
  deepStrictEqual([...Deno.readDirSync(`${wrapper.folder}/upper`)].some(({ name }) => name === "new"), true);
  strictEqual(readMounts().length, before);
});

Deno.test("exec waits with the program until it is told to go, with its network namespace there", async () => {
  await using wrapper = new Wrapper("echo ran");
  const status = await wrapper.next();
  ok(status.stage === "namespaces");
  notStrictEqual(Deno.readLinkSync(`/proc/${status.pid}/ns/net`), Deno.readLinkSync("/proc/self/ns/net"));
  strictEqual(wrapper.console, "");
  await wrapper.hangUp();
  strictEqual((await wrapper.process.status).code, 0);
  strictEqual(wrapper.console, "");
});

Deno.test("exec hands SIGTERM on, and has all of the namespace die with it", async () => {
  await using polite = new Wrapper("trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 1000 & wait; done");
  const pid = await polite.started();
  await eventually(() => polite.console.includes("up"));
  polite.process.kill("SIGTERM");
  deepStrictEqual(await polite.next(), { stage: "ended", code: 3, signal: 0 });
  strictEqual(await hasEnded(pid), true);
});

Deno.test("exec goes on when nobody listens to it any more", async () => {
  await using wrapper = new Wrapper("trap 'exit 3' TERM; echo up; while :; do sleep 1000 & wait; done");
  await wrapper.started();
  await wrapper.stopListening();
  await eventually(() => wrapper.console.includes("up"));
  wrapper.process.kill("SIGTERM");
  strictEqual((await wrapper.process.status).code, 3);
});

/** Looks again at every turn of the event loop, for at most five seconds. */
async function eventually(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 5000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error("It never came true");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function hasEnded(pid: number): Promise<boolean> {
  await eventually(() => {
    try {
      Deno.statSync(`/proc/${pid}`);
      return false;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return true;
      throw error;
    }
  });
  return true;
}
