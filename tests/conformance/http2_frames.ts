/** Frames of HTTP/2 (RFC 9113), as a client that means no good sends them. */
import type { SeededRandom } from "./seeded_random.ts";

const FRAME = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
};
const END_STREAM = 1, END_HEADERS = 4;
const CANCEL = 8;
const encoder = new TextEncoder();
const PREFACE = encoder.encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const NOTHING = new Uint8Array();

/** A call: the path of its method and the message, without the five bytes before it. */
export type FramedCall = readonly [path: string, message: Uint8Array];

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(9 + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length << 8 | type);
  bytes[4] = flags;
  view.setUint32(5, stream);
  bytes.set(payload, 9);
  return bytes;
}

/** 32-bit numbers in network order. */
function words(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => view.setUint32(index * 4, value));
  return bytes;
}

/** Header fields without any compression, RFC 7541 section 6.2.2. */
function headerBlock(path: string): Uint8Array<ArrayBuffer> {
  const fields = {
    ":method": "POST",
    ":scheme": "http",
    ":path": path,
    ":authority": "x",
    "content-type": "application/grpc",
    te: "trailers",
  };
  return Uint8Array.from(
    Object.entries(fields).flatMap((
      [name, value],
    ) => [0, name.length, ...encoder.encode(name), value.length, ...encoder.encode(value)]),
  );
}

function call(random: SeededRandom, calls: readonly FramedCall[], stream: number): Uint8Array[] {
  const [path, message] = calls[random.below(calls.length)] ?? ["/", NOTHING];
  const data = new Uint8Array(5 + message.length);
  data[4] = message.length;
  data.set(message, 5);
  const flags = random.below(5) === 0 ? 0 : END_STREAM;
  return [
    frame(FRAME.headers, END_HEADERS, stream, headerBlock(path)),
    frame(FRAME.data, flags, stream, data),
  ];
}

const goaway = (last: number, code: number) => frame(FRAME.goaway, 0, 0, words(last, code));
const reset = (stream: number, code: number) => frame(FRAME.resetStream, 0, stream, words(code));
const noise = (random: SeededRandom, length: number) => Uint8Array.from({ length }, () => random.below(256));

/** Calls, some taken back at once, then a farewell, which may come too early or twice: a client in a hurry. */
export function hastyFrames(random: SeededRandom, calls: readonly FramedCall[]): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const count = 1 + random.below(4);
  for (let stream = 1; stream < 2 * count; stream += 2) {
    frames.push(...call(random, calls, stream));
    if (random.below(5) < 3) frames.push(reset(stream, CANCEL));
  }
  frames.push(goaway(random.below(3) === 0 ? 0 : random.below(9), random.below(3) === 0 ? random.below(14) : 0));
  if (random.below(3) === 0) frames.push(...call(random, calls, 2 * count + 9));
  if (random.below(3) === 0) frames.push(goaway(0, 0));
  return [...greeting(), ...frames];
}

/** Frames that break the protocol in some place or other. */
export function brokenFrames(random: SeededRandom, calls: readonly FramedCall[]): Uint8Array[] {
  const frames: Uint8Array[] = [];
  let stream = 1;
  for (let left = 1 + random.below(12); left > 0; left--) {
    const any = random.below(stream + 4);
    switch (random.below(11)) {
      case 0:
      case 1:
        frames.push(...call(random, calls, stream));
        stream += 2;
        break;
      case 2:
        frames.push(reset(any, random.below(14)));
        break;
      case 3:
        frames.push(goaway(random.below(2) * random.below(100), random.below(14)));
        break;
      case 4:
        frames.push(frame(FRAME.settings, random.below(2), 0, noise(random, 6 * random.below(4))));
        break;
      case 5:
        frames.push(frame(FRAME.ping, random.below(2), 0, noise(random, random.below(4) === 0 ? random.below(12) : 8)));
        break;
      case 6:
        frames.push(frame(FRAME.windowUpdate, 0, any, words(random.below(3) === 0 ? 0x7fffffff : random.below(1000))));
        break;
      case 7:
        frames.push(
          frame(random.below(2) === 0 ? FRAME.headers : FRAME.continuation, random.below(64), any, noise(random, 60)),
        );
        break;
      case 8:
        frames.push(frame(random.below(16), random.below(256), any, noise(random, random.below(80))));
        break;
      case 9:
        frames.push(frame(FRAME.data, random.below(16), any, noise(random, random.below(200))));
        break;
      case 10:
        frames.push(noise(random, random.below(30)));
    }
  }
  return [...greeting(), ...frames];
}

function greeting(): Uint8Array[] {
  return [PREFACE, frame(FRAME.settings, 0, 0, NOTHING)];
}
