import { MachineClient } from "../api/mod.ts";
import type { CommandContext } from "./command.ts";
import { openTargets } from "./targets.ts";

/** What `logs` is asked for. */
export interface LogsOptions {
  readonly id: string;
  readonly follow: boolean;
  /** Only so many of the last lines; negative for all. */
  readonly tail: number;
}

/** `logs`: the log of a service, each line after the name of its node. */
export async function runLogs(context: CommandContext, { id, follow, tail }: LogsOptions): Promise<number> {
  using targets = await openTargets(context);
  const signal = context.interrupted();
  const tailLines = tail < 0 ? undefined : tail;
  const { exitCode } = await targets.each(context, `show the log of "${id}" on`, async ({ node, client, options }) => {
    const lines = new LinePrefixer(`${node}: `);
    try {
      const chunks = new MachineClient(client).logs(id, { follow, tailLines }, { ...options, signal });
      for await (const { value } of chunks) context.stdout.write(lines.add(value));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      context.stdout.write(lines.end());
    }
  });
  return exitCode;
}

const NEWLINE = 10;

/** Puts a text before each line of a stream of bytes. Lines that are cut by a chunk's end wait for their rest. */
export class LinePrefixer {
  readonly #prefix: string;
  readonly #decoder = new TextDecoder();
  /** A line's begin, never empty pieces. */
  #rest: Uint8Array[] = [];

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The lines that are whole now. */
  add(chunk: Uint8Array): string {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    const whole = end === 0 ? "" : `${this.#text([...this.#rest, chunk.subarray(0, end - 1)])}\n`;
    if (end > 0) this.#rest = [];
    if (end < chunk.length) this.#rest.push(chunk.subarray(end));
    return whole;
  }

  /** What is left when the stream ends without a newline. */
  end(): string {
    const rest = this.#rest;
    this.#rest = [];
    return rest.length === 0 ? "" : `${this.#text(rest)}\n`;
  }

  #text(chunks: readonly Uint8Array[]): string {
    const text = chunks.map((chunk) => this.#decoder.decode(chunk, { stream: true })).join("") + this.#decoder.decode();
    return this.#prefix + text.replaceAll("\n", `\n${this.#prefix}`);
  }
}
