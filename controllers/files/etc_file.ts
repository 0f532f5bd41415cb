import { type Controller, defineController, exclusive, formatVersion, hold, strong } from "../../mod/cosi/mod.ts";
import { type EtcFileSpec, EtcFileSpecs } from "../../resources/files/etc_file_spec.ts";
import { EtcFileStatuses } from "../../resources/files/etc_file_status.ts";

/** Files below one folder; paths are relative to it. */
export interface FileStore {
  /** The content and permission bits, or undefined when there is no such file. */
  read(path: string): { readonly bytes: Uint8Array; readonly mode: number } | undefined;
  /** Puts a whole new file in the place of the old one, so that no reader sees half of it; makes folders. */
  write(path: string, bytes: Uint8Array<ArrayBuffer>, mode: number): void;
  /** A file that is not there is fine. */
  remove(path: string): void;
}

const NAME = "files.EtcFileController";

/** Writes the wished files into /etc, and takes away those that nobody wishes any more. */
export function etcFileController(etc: FileStore): Controller {
  return defineController({
    name: NAME,
    inputs: [strong(EtcFileSpecs)],
    outputs: [exclusive(EtcFileStatuses)],
    async reconcile(r) {
      const statuses = [];
      for (const { metadata, spec } of await r.list(EtcFileSpecs)) {
        const { id, phase, finalizers, version } = metadata;
        checkPath(id);
        if (phase === "tearingDown") {
          etc.remove(id);
          await r.removeFinalizer(EtcFileSpecs, id);
          continue;
        }
        if (!finalizers.includes(NAME) && !await hold(r, EtcFileSpecs, id)) continue;
        if (writeFile(etc, id, spec)) r.log(`wrote /etc/${id}`);
        statuses.push({ id, spec: { specVersion: formatVersion(version) } });
      }
      await r.sync(EtcFileStatuses, statuses);
    },
  });
}

/** Whether anything had to be written. */
function writeFile(etc: FileStore, path: string, { contents, mode }: EtcFileSpec): boolean {
  const bytes = new TextEncoder().encode(contents);
  const current = etc.read(path);
  if (current?.mode === mode && isSame(current.bytes, bytes)) return false;
  etc.write(path, bytes, mode);
  return true;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((octet, at) => octet === b[at]);
}

/** @throws {RangeError} when the file would lie elsewhere */
function checkPath(path: string): void {
  const isInside = path !== "" && !path.startsWith("/") &&
    path.split("/").every((part) => part !== ".." && part !== "");
  if (!isInside) throw new RangeError(`Cannot write file "${path}": it does not lie below /etc`);
}
