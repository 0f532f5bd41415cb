import { replaceFile } from "../../kernel/file.ts";
import type { FileStore } from "./etc_file.ts";

/** The files below a folder of the machine's file system, such as `/etc`. */
export function etcFolder(folder: string): FileStore {
  return {
    read(path) {
      const full = `${folder}/${path}`;
      try {
        return { bytes: Deno.readFileSync(full), mode: (Deno.statSync(full).mode ?? 0) & 0o7777 };
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      }
    },
    write(path, bytes, mode) {
      const full = `${folder}/${path}`;
      Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
      replaceFile(full, bytes, mode);
    },
    remove(path) {
      try {
        Deno.removeSync(`${folder}/${path}`);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    },
  };
}
