import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { hostname, setDomainname, setHostname } from "../../kernel/machine.ts";
import {
  MNT_DETACH,
  mount,
  MS_BIND,
  MS_PRIVATE,
  MS_RDONLY,
  MS_REC,
  MS_REMOUNT,
  readMounts,
  unmount,
} from "../../kernel/mount.ts";
import { type NamespaceKind, openNamespace, setNamespace, unshare } from "../../kernel/namespace.ts";
import { becomeSubreaper, kill, reapAny, spawnProcess } from "../../kernel/process.ts";
import { Reactor } from "../../kernel/reactor.ts";
import { getRlimit, setRlimit } from "../../kernel/rlimit.ts";
import { onSignals } from "../../kernel/signal.ts";
import { O_RDWR, openFd } from "../../kernel/fd.ts";

/** A listener for signals does not keep a program alive by itself, the reactor does. */
function failing(error: unknown): void {
  throw error;
}

/** Fresh namespaces until disposed. */
function fresh(kind: NamespaceKind): Disposable {
  using undo = new DisposableStack();
  const old = undo.use(openNamespace(kind));
  unshare(kind);
  undo.defer(() => setNamespace(old.number, kind));
  return undo.move();
}

Deno.test("setHostname() names the machine, within 64 bytes", () => {
  using _uts = fresh("uts");
  setHostname("node-1");
  setDomainname("example.org");
  strictEqual(hostname(), "node-1");
  throws(() => setHostname("x".repeat(65)), { call: "sethostname", code: "EINVAL" });
});

Deno.test("mount() mounts, binds and remounts; unmount() undoes it", () => {
  const folder = Deno.makeTempDirSync();
  using _mnt = fresh("mnt");
  const targets = () =>
    readMounts().flatMap(({ target, type, options }) =>
      target.startsWith(folder) ? [[target.slice(folder.length), type, options[0]]] : []
    );
  mount({ source: "none", target: "/", flags: MS_REC | MS_PRIVATE });
  mount({ source: "tmpfs", target: folder, type: "tmpfs", data: "mode=0750,size=1m" });
  strictEqual((Deno.statSync(folder).mode ?? 0) & 0o777, 0o750);
  Deno.mkdirSync(`${folder}/a b`);
  mount({ source: "/proc", target: `${folder}/a b`, flags: MS_BIND });
  mount({ source: "none", target: `${folder}/a b`, flags: MS_BIND | MS_REMOUNT | MS_RDONLY });
  deepStrictEqual(targets(), [["", "tmpfs", "rw"], ["/a b", "proc", "ro"]]);
  throws(() => unmount(folder), { call: "unmount", code: "EBUSY" });
  unmount(folder, MNT_DETACH);
  deepStrictEqual(targets(), []);
  throws(() => mount({ source: "x", target: folder, type: "nosuchfs" }), {
    code: "ENODEV",
    message: `Cannot mount nosuchfs on "${folder}": ENODEV`,
  });
  Deno.removeSync(folder);
});

Deno.test("onSignals() tells of orphans, and reapAny() leaves none of 1,000", async () => {
  await using _reactor = new Reactor(failing);
  becomeSubreaper();
  using nothing = openFd("/dev/null", O_RDWR);
  const fds = [nothing.number, nothing.number, nothing.number];
  const done = Promise.withResolvers<void>();
  let reaped = 0;
  using _signals = onSignals(["SIGCHLD"], () => {
    while (reapAny() !== undefined) reaped++;
    if (reaped === 1001) done.resolve();
  });
  const script = "i=0; while [ $i -lt 1000 ]; do ( (exit 0) & ); i=$((i+1)); done";
  spawnProcess({ path: "/bin/sh", argv: ["sh", "-c", script], env: {}, fds });
  await done.promise;
  strictEqual(reapAny(), undefined);
});

Deno.test("onSignals() stops when disposed", async () => {
  await using _reactor = new Reactor(failing);
  const seen = Promise.withResolvers<Deno.Signal>();
  {
    using _signals = onSignals(["SIGUSR1"], seen.resolve);
    kill(Deno.pid, "SIGUSR1");
    strictEqual(await seen.promise, "SIGUSR1");
  }
});

Deno.test("setRlimit() lowers the soft limit and is refused above the hard one", () => {
  const old = getRlimit("core");
  setRlimit("core", { current: 0n, maximum: old.maximum });
  strictEqual(getRlimit("core").current, 0n);
  setRlimit("core", old);
  ok(getRlimit("core").current === old.current);
  throws(() => setRlimit("core", { current: 2n, maximum: 1n }), { code: "EINVAL" });
});
