import { type Fd, O_RDONLY, openFd } from "./fd.ts";
import { check } from "./ffi.ts";
import { libc } from "./libc.ts";

/** Kinds of namespaces, include/uapi/linux/sched.h, by their name in /proc/PID/ns. */
export const NAMESPACES = {
  mnt: 0x00020000,
  cgroup: 0x02000000,
  uts: 0x04000000,
  ipc: 0x08000000,
  user: 0x10000000,
  pid: 0x20000000,
  net: 0x40000000,
} as const;

/** A kind of namespace. */
export type NamespaceKind = keyof typeof NAMESPACES;

/**
 * unshare(2): fresh namespaces for the calling thread only; a fresh `pid` is for its children. Threads of Deno's pool
 * stay where they were, and asynchronous file calls run there. So a whole program changes namespaces by `execute()`
 * right afterwards.
 *
 * @throws {SyscallError} EPERM; EINVAL for `user`, as the process has threads
 */
export function unshare(...kinds: NamespaceKind[]): void {
  const flags = kinds.reduce((all, kind) => all | NAMESPACES[kind], 0);
  check(libc().unshare(flags), "unshare", kinds.join(", "));
}

/** setns(2) of the calling thread; `fd` is a namespace of that kind or a pidfd. @throws {SyscallError} EPERM */
export function setNamespace(fd: number, kind: NamespaceKind): void {
  check(libc().setns(fd, NAMESPACES[kind]), "setns", `fd ${fd} (${kind})`);
}

/** The namespace that the calling thread is in, or another process. @throws {SyscallError} ENOENT, EACCES */
export function openNamespace(kind: NamespaceKind, pid?: number): Fd {
  return openFd(`/proc/${pid ?? "thread-self"}/ns/${kind}`, O_RDONLY);
}
