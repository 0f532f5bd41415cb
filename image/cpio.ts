/** One entry of an initramfs archive. Paths are relative, without `./`; everything belongs to root. */
export type CpioEntry =
  | { kind: "folder"; path: string }
  | { kind: "file"; path: string; data: Uint8Array; executable?: boolean }
  | { kind: "link"; path: string; target: string };

const S_IFDIR = 0o040000;
const S_IFREG = 0o100000;
const S_IFLNK = 0o120000;
const MAGIC = "070701";
const HEADER_SIZE = 110;

/**
 * A cpio archive in the "newc" form that the kernel unpacks as initramfs. Folders must come before what is in them.
 * Its size is a multiple of 4, so archives can be put behind each other, and later files replace earlier ones.
 * Modification times are 0: the same entries give the same bytes.
 * @see Documentation/driver-api/early-userspace/buffer-format.rst
 */
export function cpioArchive(entries: readonly CpioEntry[]): Uint8Array {
  const encoder = new TextEncoder();
  const records = entries.map((entry, index) => ({ ...content(entry), path: entry.path, inode: index + 1 }));
  records.push({ mode: 0, data: new Uint8Array(), path: "TRAILER!!!", inode: 0 });
  const names = records.map(({ path }) => encoder.encode(`${path}\0`));
  const size = records.reduce(
    (sum, { data }, index) => sum + padded(HEADER_SIZE + (names[index]?.length ?? 0)) + padded(data.length),
    0,
  );
  const archive = new Uint8Array(size);
  let at = 0;
  for (const [index, { mode, data, inode }] of records.entries()) {
    const name = names[index] ?? new Uint8Array();
    // ino, mode, uid, gid, nlink, mtime, filesize, devmajor, devminor, rdevmajor, rdevminor, namesize, check
    const fields = [inode, mode, 0, 0, 1, 0, data.length, 0, 0, 0, 0, name.length, 0];
    archive.set(encoder.encode(MAGIC + fields.map((field) => field.toString(16).padStart(8, "0")).join("")), at);
    archive.set(name, at + HEADER_SIZE);
    at += padded(HEADER_SIZE + name.length);
    archive.set(data, at);
    at += padded(data.length);
  }
  return archive;
}

/** The folders that lead to `path`, outermost first: `a/b/c` gives `a`, `a/b`. */
export function parentFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function content(entry: CpioEntry): { mode: number; data: Uint8Array } {
  switch (entry.kind) {
    case "folder":
      return { mode: S_IFDIR | 0o755, data: new Uint8Array() };
    case "file":
      return { mode: S_IFREG | (entry.executable === true ? 0o755 : 0o644), data: entry.data };
    case "link":
      return { mode: S_IFLNK | 0o777, data: new TextEncoder().encode(entry.target) };
  }
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}
