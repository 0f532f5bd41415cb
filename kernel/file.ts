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
  const slash = path.lastIndexOf("/");
  const folder = slash > 0 ? path.slice(0, slash) : slash === 0 ? "/" : ".";
  const temporary = `${folder}/.${path.slice(slash + 1)}.new`;
  try {
    writeDurable(temporary, bytes, mode);
    check(libc().rename(cstring(temporary), cstring(path)), "rename", `"${temporary}" to "${path}"`);
  } catch (error) {
    libc().unlink(cstring(temporary)); // best effort: the failure above is the one to report
    throw error;
  }
  syncFolder(folder);
}

function writeDurable(path: string, bytes: Uint8Array<ArrayBuffer>, mode: number): void {
  using file = openFd(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
  check(libc().fchmod(file.number, mode), "fchmod", `"${path}"`);
  writeAllFd(file.number, bytes);
  check(libc().fsync(file.number), "fsync", `"${path}"`);
}

/** Makes renames and removals inside a folder durable. @throws {SyscallError} */
export function syncFolder(path: string): void {
  using folder = openFd(path, O_RDONLY | O_DIRECTORY);
  check(libc().fsync(folder.number), "fsync", `"${path}"`);
}
