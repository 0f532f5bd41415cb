/**
 * The part of `jsr:@std/streams` that this project uses, over the Web Streams API, with the JSR module's names and
 * signatures: the import map alone decides which one is used.
 * @see https://jsr.io/@std/streams
 */

/** All of a stream of bytes or text, bytes read as UTF-8. */
export async function toText(stream: ReadableStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream as ReadableStream<string | Uint8Array>) {
    text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * All of a stream of bytes or text, read as JSON.
 * @throws {SyntaxError} it is not JSON.
 */
export async function toJson(stream: ReadableStream): Promise<unknown> {
  return JSON.parse(await toText(stream));
}

/** All bytes of a stream, in one buffer of exactly their length. */
export async function toArrayBuffer(stream: ReadableStream<Uint8Array>): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes.buffer;
}

/** The chunks of all streams as they come; ends when all have ended, fails when the first fails. */
export function mergeReadableStreams<T>(...streams: ReadableStream<T>[]): ReadableStream<T> {
  const readers = streams.map((stream) => stream.getReader());
  return new ReadableStream<T>({
    async start(controller) {
      try {
        await Promise.all(readers.map(async (reader) => {
          for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
            controller.enqueue(chunk.value);
          }
        }));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
    async cancel(reason) {
      await Promise.all(readers.map((reader) => reader.cancel(reason)));
    },
  });
}

/** Options of {@linkcode TextLineStream}. */
export interface TextLineStreamOptions {
  /** A lone `\r` ends a line too. Default false. */
  allowCR?: boolean;
}

/** Text in chunks of any size → one line a chunk, without `\n` or `\r\n`. The last line needs no line break. */
export class TextLineStream extends TransformStream<string, string> {
  #rest = "";

  constructor(options: TextLineStreamOptions = {}) {
    const allowCR = options.allowCR === true;
    super({
      transform: (chunk, controller) => {
        const text = this.#rest + chunk;
        let start = 0;
        for (let at = nextBreak(text, start, allowCR); at !== -1; at = nextBreak(text, start, allowCR)) {
          const isCr = text[at] === "\r";
          if (isCr && at === text.length - 1) break; // a "\n" may follow in the next chunk
          const hasCrLf = isCr ? text[at + 1] === "\n" : at > start && text[at - 1] === "\r";
          controller.enqueue(text.slice(start, !isCr && hasCrLf ? at - 1 : at));
          start = isCr && hasCrLf ? at + 2 : at + 1;
        }
        this.#rest = text.slice(start);
      },
      flush: (controller) => {
        if (this.#rest === "") return;
        controller.enqueue(allowCR && this.#rest.endsWith("\r") ? this.#rest.slice(0, -1) : this.#rest);
      },
    });
  }
}

function nextBreak(text: string, start: number, allowCR: boolean): number {
  const lf = text.indexOf("\n", start);
  if (!allowCR) return lf;
  const cr = text.indexOf("\r", start);
  return cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
}
