import { Fd, O_APPEND, O_CREAT, O_WRONLY, openFd, writeFd } from "../../kernel/fd.ts";

/**
 * A log on disk: `PATH`, and `PATH.1` once it has grown over its limit. The kernel collects the writes; a full or
 * failing disk makes the file miss lines and is told once, it does not disturb the service.
 */
export class LogFile implements Disposable {
  readonly #path: string;
  readonly #limitBytes: number;
  readonly #onError: (error: Error) => void;
  #file: Fd;
  #sizeBytes: number;
  #isFailing = false;

  /**
   * @param path its folder must exist
   * @param onError told about the first of a row of failed writes
   * @throws {SyscallError} ENOENT, EACCES, EROFS
   */
  constructor(path: string, onError: (error: Error) => void, limitBytes = 5 << 20) {
    this.#path = path;
    this.#limitBytes = limitBytes;
    this.#onError = onError;
    this.#file = openFd(path, O_WRONLY | O_CREAT | O_APPEND, 0o640);
    this.#sizeBytes = Deno.statSync(path).size;
  }

  /** Appends bytes; to be given to a `LogBuffer` as its sink. */
  write(bytes: Uint8Array<ArrayBuffer>): void {
    try {
      if (this.#sizeBytes + bytes.length > this.#limitBytes && this.#sizeBytes > 0) this.#rotate();
      this.#sizeBytes += writeFd(this.#file.number, bytes) ?? 0;
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && error instanceof Error) this.#onError(error);
      this.#isFailing = true;
    }
  }

  #rotate(): void {
    Deno.renameSync(this.#path, `${this.#path}.1`);
    const next = openFd(this.#path, O_WRONLY | O_CREAT | O_APPEND, 0o640);
    this.#file[Symbol.dispose]();
    this.#file = next;
    this.#sizeBytes = 0;
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}
