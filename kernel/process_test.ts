import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { O_RDWR, openFd, pipe, readFd } from "./fd.ts";
import { kill, openPidfd, peekExited, reap, spawnProcess, waitFor } from "./process.ts";
import { EPOLLIN, Reactor } from "./reactor.ts";
import { SIGNALS } from "./signal.ts";

const SHELL = "/bin/sh";

function shell(script: string, stdout: number, cwd = "/"): number {
  using nothing = openFd("/dev/null", O_RDWR);
  const fds = [nothing.number, stdout, stdout];
  return spawnProcess({ path: SHELL, argv: ["sh", "-c", script], env: { GREETING: "hi" }, fds, cwd, newSession: true });
}

Deno.test("spawnProcess() gives exactly the environment, folder, descriptors and signals asked for", () => {
  const { reader, writer } = pipe();
  using _reader = reader;
  const pid = shell(
    `echo $GREETING $HOME; pwd; ls /proc/self/fd/${reader.number}; grep -E 'Sig(Blk|Ign)' /proc/self/status; exit 3`,
    writer.number,
    "/usr",
  );
  writer[Symbol.dispose]();
  deepStrictEqual(waitFor(pid), { pid, code: 3, signal: 0 });
  const into = new Uint8Array(4096);
  const text = new TextDecoder().decode(into.subarray(0, readFd(reader.number, into)));
  deepStrictEqual(text.split("\n"), [
    "hi",
    "/usr",
    `ls: cannot access '/proc/self/fd/${reader.number}': No such file or directory`,
    "SigBlk:\t0000000000000000",
    "SigIgn:\t0000000000000000",
    "",
  ]);
  strictEqual(readFd(reader.number, into), 0);
});

Deno.test("spawnProcess() holds back the signals that are to be blocked", () => {
  const { reader, writer } = pipe();
  using _reader = reader;
  const argv = ["grep", "SigBlk", "/proc/self/status"];
  const blocked = ["SIGHUP", "SIGTERM", "SIGPWR"] as const;
  const pid = spawnProcess({ path: "/bin/grep", argv, env: {}, fds: [writer.number, writer.number, 2], blocked });
  writer[Symbol.dispose]();
  strictEqual(waitFor(pid)?.code, 0);
  const into = new Uint8Array(64);
  const mask = [...blocked].reduce((sum, name) => sum | 1 << SIGNALS[name] - 1, 0);
  const text = new TextDecoder().decode(into.subarray(0, readFd(reader.number, into)));
  strictEqual(text, `SigBlk:\t${mask.toString(16).padStart(16, "0")}\n`);
});

Deno.test("spawnProcess() survives sources that are also targets", () => {
  const { reader, writer } = pipe();
  using _reader = reader;
  using _writer = writer;
  // stdout and stderr of this process change places; the pipe is descriptor 0 of the child, which writes to it
  const argv = ["sh", "-c", "echo crossed >&0"];
  const pid = spawnProcess({ path: SHELL, argv, env: {}, fds: [writer.number, 2, 1] });
  strictEqual(waitFor(pid)?.code, 0);
  const into = new Uint8Array(64);
  strictEqual(new TextDecoder().decode(into.subarray(0, readFd(reader.number, into))), "crossed\n");
});

Deno.test("spawnProcess() tells why a program cannot start", () => {
  const request = { argv: ["x"], env: {}, fds: [] };
  throws(() => spawnProcess({ ...request, path: "/no/such" }), { name: "SyscallError", call: "spawn", code: "ENOENT" });
  throws(() => spawnProcess({ ...request, path: "/etc/passwd" }), { code: "EACCES" });
  throws(() => spawnProcess({ ...request, path: SHELL, cwd: "/no/such" }), { code: "ENOENT" });
});

Deno.test("a pidfd wakes the reactor, and the child is reaped once", async () => {
  await using reactor = new Reactor((error) => {
    throw error;
  });
  const pid = shell("exec sleep 60", 1);
  using pidfd = openPidfd(pid);
  const ended = Promise.withResolvers<void>();
  using _watch = reactor.add(pidfd.number, EPOLLIN, () => {
    ended.resolve();
    _watch[Symbol.dispose]();
  });
  strictEqual(reap(pid), undefined);
  kill(-pid, "SIGKILL");
  await ended.promise;
  ok(peekExited() !== undefined);
  deepStrictEqual(reap(pid), { pid, code: 137, signal: 9 });
  strictEqual(reap(pid), undefined);
  throws(() => kill(pid, 0), { code: "ESRCH" });
});

Deno.test("execute() becomes the program, with signals at their defaults", async () => {
  const code = `import { execute } from "./process.ts";
    try { execute("/no/such", ["x"], {}); } catch (error) { console.log(error.code); }
    execute("/bin/sh", ["sh", "-c", "echo $A; grep SigIgn /proc/self/status"], { A: "b" });`;
  const args = [
    "run",
    "-A",
    "--no-check",
    `data:application/typescript,${
      encodeURIComponent(
        code.replace("./process.ts", import.meta.resolve("./process.ts")),
      )
    }`,
  ];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  const [refused, variable, ignored = ""] = new TextDecoder().decode(stdout).split("\n");
  deepStrictEqual([refused, variable], ["ENOENT", "b"]);
  strictEqual(Number.parseInt(ignored.slice("SigIgn:".length), 16) & (1 << (SIGNALS.SIGPIPE - 1)), 0);
});
