import { check, cstring } from "./ffi.ts";
import { libc } from "./libc.ts";
import { O_CREAT, O_DIRECTORY, O_RDONLY, O_TRUNC, O_WRONLY, openFd, writeAllFd } from "./fd.ts";

/**
 * Puts a whole new file in the place of the old one: after a power cut at any instant either the old or the new
 * content is there. The folder must exist; the temporary file lies beside the target and is taken away on failure.
 *
 * @param mode permission bits, independent of the umask
 * @throws {SyscallError} ENOENT, EACCES, ENOSPC, EROFS
 */
export function writeFileAtomic(path: string, bytes: Uint8Array<ArrayBuffer>, mode: number): void {
  replaceWith(path, (temporary) => writeFile(temporary, bytes, mode, "durable"));
  syncFolder(folderOf(path));
}

/**
 * Puts a whole new file in the place of the old one, so that no reader sees half of it. For files that are made anew at
 * each start: it does not wait for a disk.
 *
 * @param mode permission bits, independent of the umask
 * @throws {SyscallError} ENOENT, EACCES, ENOSPC, EROFS
 */
export function replaceFile(path: string, bytes: Uint8Array<ArrayBuffer>, mode: number): void {
  replaceWith(path, (temporary) => writeFile(temporary, bytes, mode, "volatile"));
}

function replaceWith(path: string, write: (temporary: string) => void): void {
  const temporary = `${folderOf(path)}/.${path.slice(path.lastIndexOf("/") + 1)}.new`;
  try {
    write(temporary);
    check(libc().rename(cstring(temporary), cstring(path)), "rename", `"${temporary}" to "${path}"`);
  } catch (error) {
    libc().unlink(cstring(temporary)); // best effort: the failure above is the one to report
    throw error;
  }
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash > 0 ? path.slice(0, slash) : slash === 0 ? "/" : ".";
}

function writeFile(path: string, bytes: Uint8Array<ArrayBuffer>, mode: number, kept: "durable" | "volatile"): void {
  using file = openFd(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  check(libc().fchmod(file.number, mode), "fchmod", `"${path}"`);
  writeAllFd(file.number, bytes);
  if (kept === "durable") check(libc().fsync(file.number), "fsync", `"${path}"`);
}

/** Makes renames and removals inside a folder durable. @throws {SyscallError} */
export function syncFolder(path: string): void {
  using folder = openFd(path, O_RDONLY | O_DIRECTORY);
  check(libc().fsync(folder.number), "fsync", `"${path}"`);
}
