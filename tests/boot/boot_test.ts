import { match, ok, strictEqual } from "node:assert/strict";
import { dist } from "../../image/paths.ts";
import { commandOutput } from "../../image/task.ts";
import { boot } from "../../image/tasks/boot.ts";
import { runningPid, stopVm } from "../../image/vm.ts";

const POWER_OFF_MS = 10_000;
const HEALTHY_MS = 180_000;

/** A machine in QEMU, ended with its test. */
class Machine implements AsyncDisposable {
  readonly #name: string;
  constructor(name: string) {
    this.#name = name;
  }

  /** What monosctl prints when it is run against this machine alone. */
  async ctl(...args: string[]): Promise<string> {
    const flags = ["--talosconfig", dist("nodes", this.#name, "talosconfig")];
    return new TextDecoder().decode(await commandOutput([dist("monosctl"), ...flags, ...args]));
  }

  /** Asks until the answer satisfies; each question takes long enough to be its own pause. */
  async until(isEnough: (answer: string) => boolean, ...args: string[]): Promise<void> {
    const deadline = performance.now() + HEALTHY_MS;
    for (let answer = ""; !isEnough(answer = await this.ctl(...args));) {
      ok(performance.now() < deadline, `monosctl ${args.join(" ")} still says:\n${answer}\n${await this.console()}`);
    }
  }

  async console(): Promise<string> {
    return (await Deno.readTextFile(dist("nodes", this.#name, "console.log"))).slice(-4000);
  }

  /** Milliseconds until QEMU is gone. */
  async powersOff(): Promise<number> {
    const started = performance.now();
    const pid = await runningPid(this.#name);
    if (pid !== undefined) await commandOutput(["timeout", "60", "tail", `--pid=${pid}`, "-f", "/dev/null"]);
    return performance.now() - started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stopVm(this.#name);
  }
}

const DUMMY = "apiVersion: v1alpha1\nkind: DummyLinkConfig\nname: dummy0\naddresses: [{address: 10.11.12.1/24}]\n";

const isHealthy = (services: string) =>
  ["containerd", "etcd"].every((name) => new RegExp(`\\b${name}\\s+Running\\s+OK\\b`).test(services));

for (const uefi of [false, true]) {
  Deno.test(`a machine boots ${uefi ? "through UEFI" : "directly"}, runs its services, and powers off`, async () => {
    const name = uefi ? "test-uefi" : "test-direct";
    await using machine = new Machine(name);
    await boot({ uefi, detach: true, name, config: undefined });
    match(await machine.ctl("get", "addresses"), /\beth0\/10\.0\.2\.15\/24\b/);
    match(await machine.ctl("get", "links"), /\beth0\b.*\bup\b/);
    match(await machine.ctl("get", "routes"), /10\.0\.2\.2/);
    await machine.until(isHealthy, "services");
    // a kind of link that the kernel has as a module only
    await machine.ctl("apply-config", "-f", dist("nodes", name, "controlplane.yaml"), "-p", DUMMY);
    await machine.until((answer) => /\bdummy0\/10\.11\.12\.1\/24\b/.test(answer), "get", "addresses");
    match(await machine.ctl("get", "links", "dummy0"), /\bdummy\b/);
    const off = machine.powersOff();
    await machine.ctl("shutdown");
    const tookMs = await off;
    ok(tookMs < POWER_OFF_MS, `it took ${tookMs} ms to power off:\n${await machine.console()}`);
    strictEqual(await runningPid(name), undefined);
  });
}
