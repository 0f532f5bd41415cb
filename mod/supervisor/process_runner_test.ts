import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { kill } from "../../kernel/process.ts";
import { Reactor } from "../../kernel/reactor.ts";
import { grpcHealth, servingStatus } from "./grpc_health.ts";
import { Processes } from "./process_runner.ts";
import { Reaper } from "./reaper.ts";
import type { ServiceDefinition } from "./service.ts";
import { Supervisor } from "./supervisor.ts";

/** Everything that a supervised program needs, taken away after the test. */
class Stage implements AsyncDisposable {
  readonly reactor = new Reactor((error) => {
    throw error;
  });
  readonly reaper = new Reaper({ orphans: false });
  readonly supervisor = new Supervisor();
  readonly processes = new Processes(this.reactor, this.reaper, undefined, (id, text) => this.warnings.push(id + text));
  readonly warnings: string[] = [];

  /** A service that runs a shell script. */
  shell(id: string, script: string, more: Partial<ServiceDefinition> = {}): void {
    const run = this.processes.runner(() => ({ path: "/bin/sh", args: ["-c", script], env: { PATH: "/bin" } }));
    this.supervisor.load({ id, run, ...more });
    this.supervisor.start(id);
  }

  async line(id: string, wanted: string): Promise<void> {
    const stop = new AbortController();
    let text = "";
    for await (const chunk of this.supervisor.log(id).follow(stop.signal)) {
      text += new TextDecoder().decode(chunk);
      if (text.split("\n").includes(wanted)) stop.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supervisor.close();
    await this.reactor[Symbol.asyncDispose]();
    this.reaper[Symbol.dispose]();
  }
}

Deno.test("a program killed from outside is back at once, and counted", async () => {
  await using stage = new Stage();
  stage.shell("a", "echo ready; exec sleep 1000");
  await stage.line("a", "ready");
  const first = stage.supervisor.snapshot("a").pid;
  kill(first, "SIGKILL");
  const isBack = () => ![0, first].includes(stage.supervisor.snapshot("a").pid);
  ok(await stage.supervisor.waitFor(isBack, 5000));
  strictEqual(stage.supervisor.snapshot("a").restarts, 1);
  ok(stage.supervisor.snapshot("a").history.some(({ message }) => message.includes("signal 9")));
});

Deno.test("both outputs of a program go into its log, in order", async () => {
  await using stage = new Stage();
  stage.shell("a", "echo one; echo two >&2; echo three", { restart: "once" });
  await stage.line("a", "three");
  strictEqual(new TextDecoder().decode(stage.supervisor.log("a").read()), "one\ntwo\nthree\n");
  ok(await stage.supervisor.waitFor(() => stage.supervisor.snapshot("a").state === "Finished", 5000));
});

Deno.test("a program that stops when told ends without SIGKILL, a deaf one with it, and its children too", async () => {
  await using stage = new Stage();
  stage.shell("polite", "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 1000 & wait $!; done");
  stage.shell("deaf", "trap '' TERM; echo ready; sleep 1000 & echo $! >&2; wait", { stopGraceMs: 50 });
  await Promise.all([stage.line("polite", "ready"), stage.line("deaf", "ready")]);
  ok(await stage.supervisor.stop("polite"));
  strictEqual(new TextDecoder().decode(stage.supervisor.log("polite").read(1)), "bye\n");
  const started = performance.now();
  ok(await stage.supervisor.stop("deaf"));
  ok(performance.now() - started >= 49);
  strictEqual(stage.reaper.running, 0);
});

Deno.test("a program that is not there fails, with the reason", async () => {
  await using stage = new Stage();
  const run = stage.processes.runner(() => ({ path: "/nowhere", args: [], env: {} }));
  stage.supervisor.load({ id: "a", run, restart: "once" });
  stage.supervisor.start("a");
  ok(await stage.supervisor.waitFor(() => stage.supervisor.snapshot("a").state === "Failed", 5000));
  ok(stage.supervisor.snapshot("a").history.at(-1)?.message.includes("ENOENT"));
});

Deno.test("a flood of output does not stop the program, and the log keeps its end", async () => {
  await using stage = new Stage();
  stage.shell("a", "i=0; while [ $i -lt 60000 ]; do echo line of text number $i; i=$((i+1)); done; echo end", {
    restart: "once",
  });
  await stage.line("a", "end");
  const log = new TextDecoder().decode(stage.supervisor.log("a").read(2));
  strictEqual(log, "line of text number 59999\nend\n");
  ok(stage.supervisor.log("a").writtenBytes > 1 << 20);
});

Deno.test("Reaper reaps 1000 orphans and leaves no zombie", async () => {
  const script = `
    import { becomeSubreaper } from "${new URL("../../kernel/process.ts", import.meta.url)}";
    import { onSignals } from "${new URL("../../kernel/signal.ts", import.meta.url)}";
    import { Reaper } from "${new URL("reaper.ts", import.meta.url)}";
    becomeSubreaper();
    const reaper = new Reaper({ orphans: true });
    const all = Promise.withResolvers();
    onSignals(["SIGCHLD"], () => reaper.orphansReaped === 1000 && all.resolve());
    const loop = "i=0; while [ $i -lt 1000 ]; do (: & ); i=$((i+1)); done";
    const { exited } = reaper.spawn({ path: "/bin/sh", argv: ["sh", "-c", loop], env: {}, fds: [0, 1, 2] });
    const timer = setTimeout(all.resolve, 20_000);
    const { code } = await exited;
    await all.promise;
    clearTimeout(timer);
    const children = Deno.readTextFileSync("/proc/thread-self/children");
    console.log(JSON.stringify([code, reaper.orphansReaped, reaper.running, children]));`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", `--config=${new URL("../../deno.json", import.meta.url).pathname}`, script],
  }).output();
  deepStrictEqual(new TextDecoder().decode(stdout), `[0,1000,0,""]\n`, new TextDecoder().decode(stderr));
});

Deno.test("grpcHealth() says why, and servingStatus() reads the answer", async () => {
  const { signal } = new AbortController();
  const error = await grpcHealth("/nowhere.sock").check(signal).catch((error) => error);
  ok(error instanceof Deno.errors.NotFound);
  strictEqual(servingStatus(Uint8Array.of(0, 0, 0, 0, 2, 8, 1)), 1);
  strictEqual(servingStatus(Uint8Array.of(0, 0, 0, 0, 0)), 0);
});
