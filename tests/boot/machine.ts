import { ok } from "node:assert/strict";
import { dist, removeIfThere } from "../../image/paths.ts";
import { commandOutput } from "../../image/task.ts";
import { boot } from "../../image/tasks/boot.ts";
import { runningPid, stopVm } from "../../image/vm.ts";
import { ApiClient, MachineClient } from "../../mod/api/mod.ts";
import { credentialsOf, readTalosconfig } from "../../mod/cli/mod.ts";

/** Emulated, on a computer that may be busy with other things. */
export const PATIENCE_MS = 180_000;
/** What a serial line sends for BREAK, in the words of QEMU. */
const BREAK = "\x01b";
/** From here on, what is typed is for QEMU. */
const TO_MONITOR = "\x01c";

/** A machine in QEMU, ended with its test. */
export class Machine implements AsyncDisposable {
  /** Its API, over one connection. */
  readonly api: MachineClient;
  readonly #name: string;
  readonly #undo: AsyncDisposableStack;
  readonly #consoleSocket: string;

  private constructor(name: string, client: ApiClient, consoleSocket: string, undo: AsyncDisposableStack) {
    this.#name = name;
    this.#consoleSocket = consoleSocket;
    this.api = new MachineClient(client);
    this.#undo = undo;
  }

  static async boot(name: string, uefi: boolean): Promise<Machine> {
    await using undo = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir();
    undo.defer(() => removeIfThere(folder));
    undo.defer(async () => void await stopVm(name));
    const consoleSocket = `${folder}/console`;
    await boot({ uefi, detach: true, name, config: undefined, consoleSocket });
    const path = dist("nodes", name, "talosconfig");
    const config = await readTalosconfig(path);
    const { endpoints = [] } = config.contexts[config.context ?? ""] ?? {};
    const client = undo.use(new ApiClient({ endpoints, ...await credentialsOf({ path, config }) }));
    return new Machine(name, client, consoleSocket, undo.move());
  }

  /** What monosctl prints when it is run against this machine alone. */
  async ctl(...args: string[]): Promise<string> {
    const flags = ["--talosconfig", dist("nodes", this.#name, "talosconfig")];
    return new TextDecoder().decode(await commandOutput([dist("monosctl"), ...flags, ...args]));
  }

  /** Asks until its console has shown this. */
  async untilShown(words: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await this.console()).includes(words)) {
      ok(performance.now() < deadline, `"${words}" is not in\n${await this.console()}`);
      await this.api.version({ timeoutMs: PATIENCE_MS }); // a pause
    }
  }

  /** Asks until the answer satisfies; each question takes long enough to be its own pause. */
  async until(isEnough: (answer: string) => boolean, ...args: string[]): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let answer = ""; !isEnough(answer = await this.ctl(...args));) {
      ok(performance.now() < deadline, `monosctl ${args.join(" ")} still says:\n${answer}\n${await this.console()}`);
    }
  }

  /** The last of what its console has shown. */
  async console(): Promise<string> {
    return (await Deno.readTextFile(dist("nodes", this.#name, "console.log"))).slice(-8000);
  }

  /** Types on its console, and stays at it until disposed. */
  async type(keys: string): Promise<AsyncDisposable> {
    const line = await Deno.connect({ transport: "unix", path: this.#consoleSocket });
    // QEMU lets the machine wait for who is connected and does not read
    const end = new AbortController();
    const reading = line.readable.pipeTo(new WritableStream(), { signal: end.signal }).catch(() => {}); // by `end`
    await line.write(new TextEncoder().encode(keys));
    return {
      async [Symbol.asyncDispose]() {
        end.abort(); // closes the line too
        await reading;
      },
    };
  }

  /** Orders the kernel to do what a key stands for. @see Documentation/admin-guide/sysrq.rst */
  sysrq(key: string): Promise<AsyncDisposable> {
    return this.type(BREAK + key);
  }

  pressPowerButton(): Promise<AsyncDisposable> {
    return this.type(`${TO_MONITOR}system_powerdown\n`);
  }

  /** Milliseconds until QEMU is gone. */
  async powersOff(): Promise<number> {
    const started = performance.now();
    const pid = await runningPid(this.#name);
    if (pid !== undefined) await commandOutput(["timeout", "60", "tail", `--pid=${pid}`, "-f", "/dev/null"]);
    return performance.now() - started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo.disposeAsync();
  }
}
