import { writeFileAtomic } from "../../kernel/file.ts";

/** A machine config in a file: undefined while there is none. */
export async function readConfigFile(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Where the machine keeps its config: a write survives a power cut at any instant as either the old or the new. */
export class ConfigFile {
  readonly name: string;
  readonly #path: string;

  constructor(folder: string) {
    this.#path = `${folder}/config.yaml`;
    this.name = `the file ${this.#path}`;
  }

  read(): Promise<string | undefined> {
    return readConfigFile(this.#path);
  }

  async write(text: string): Promise<void> {
    await Deno.mkdir(this.#path.slice(0, this.#path.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    writeFileAtomic(this.#path, new TextEncoder().encode(text), 0o600);
  }
}

/**
 * The config of the kernel argument `talos.config.inline`: base64, plain or compressed with zstd or gzip, possibly in
 * several parameters, whose values are put together. Undefined when there is none.
 * @throws {SyntaxError} when it is no base64
 */
export async function inlineConfig(cmdline: string): Promise<string | undefined> {
  const parts = [...cmdline.matchAll(/(?:^|\s)"?talos\.config\.inline=("?)([^"\s]*)\1/g)].map((match) => match[2]);
  if (parts.length === 0) return undefined;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.fromBase64(parts.join(""));
  } catch (cause) {
    throw new SyntaxError("Cannot read talos.config.inline: it is not base64", { cause });
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(await decompress(bytes));
}

const MAGIC = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;
/** No config is larger; a small text must not fill the memory. */
const LARGEST_BYTES = 4 << 20;

async function decompress(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const startsWith = (magic: readonly number[]) => magic.every((byte, index) => bytes[index] === byte);
  if (!startsWith(MAGIC.gzip) && !startsWith(MAGIC.zstd)) return bytes;
  const zlib = await import("node:zlib");
  const options = { maxOutputLength: LARGEST_BYTES };
  return startsWith(MAGIC.gzip) ? zlib.gunzipSync(bytes, options) : zlib.zstdDecompressSync(bytes, options);
}
