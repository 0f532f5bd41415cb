import type { Timestamp } from "./metadata.ts";

/** Timestamp of the Unix epoch, which an absent one on the wire means (clause 5.18). */
export const EPOCH: Timestamp = Object.freeze({ seconds: 0, nanos: 0 });

/** Asking the clock costs more than the rest of a write's metadata, so it is asked once for this many calls in a turn. */
const CALLS = 16;

let last = EPOCH;
let lastMs = 0;
/** Calls in this turn of the event loop that still get the last answer. */
let left = 0;
let isTurn = false;
function forget(): void {
  left = 0;
  isTurn = false;
}

/** The current time. Calls within one millisecond, or few calls within one turn of the event loop, share one object. */
export function timestampNow(): Timestamp {
  if (left > 0) {
    left--;
    return last;
  }
  if (!isTurn) {
    isTurn = true;
    setImmediate(forget);
  }
  left = CALLS;
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    last = timestampOf(ms);
  }
  return last;
}

/** The timestamp of milliseconds since the epoch. */
export function timestampOf(ms: number): Timestamp {
  const seconds = Math.floor(ms / 1000);
  return Object.freeze({ seconds, nanos: Math.round((ms - seconds * 1000) * 1e6) });
}

/** RFC 3339 in UTC with whole seconds, as resources show it (clause 1.36). */
export function formatTimestamp(time: Timestamp): string {
  return `${new Date(time.seconds * 1000).toISOString().slice(0, -5)}Z`;
}

const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/;

/** The timestamp of RFC 3339 text; digits of the second past nine are dropped. @throws {SyntaxError} */
export function parseTimestamp(text: string): Timestamp {
  const match = RFC3339.exec(text);
  const ms = match === null ? NaN : Date.parse(`${match[1]}T${match[2]}${(match[4] ?? "Z").toUpperCase()}`);
  if (match === null || Number.isNaN(ms)) throw new SyntaxError(`Cannot read time "${text}": it is not RFC 3339`);
  return Object.freeze({ seconds: ms / 1000, nanos: Number((match[3] ?? "").padEnd(9, "0")) });
}
