/** One value of Distinguished Encoding Rules text: its tag, what it holds, and all of its bytes. */
export interface DerValue {
  /** The identifier octet, class and constructed bit included; see {@linkcode TAG}. */
  tag: number;
  contents: Uint8Array;
  /** Identifier, length and contents. */
  bytes: Uint8Array;
}

/** Identifier octets that certificates use. `context(n)` is `0xa0 + n` when constructed, `0x80 + n` when not. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A value with the given tag whose contents are `parts`, one after the other. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | lengthOctets(length).length, ...lengthOctets(length)];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let offset = head.length;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function lengthOctets(length: number): number[] {
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return octets;
}

/** SEQUENCE of `parts`. */
export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return der(TAG.sequence, ...parts);
}

/** OBJECT IDENTIFIER from its dotted form. */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let more = arc >>> 7; more > 0; more >>>= 7) groups.unshift((more & 0x7f) | 0x80);
    return groups;
  });
  return der(TAG.oid, Uint8Array.from(octets));
}

/** Dotted form of an OBJECT IDENTIFIER's contents. */
export function oidText(contents: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of contents) {
    arc = arc * 128 + (octet & 0x7f);
    if (octet & 0x80) continue;
    if (arcs.length > 0) arcs.push(arc);
    else arcs.push(Math.min(Math.floor(arc / 40), 2), arc - 40 * Math.min(Math.floor(arc / 40), 2));
    arc = 0;
  }
  return arcs.join(".");
}

/** INTEGER that is not negative, from its big-endian bytes. */
export function unsigned(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  return (digits[0] ?? 0) & 0x80 ? der(TAG.integer, Uint8Array.of(0), digits) : der(TAG.integer, digits);
}

/** BIT STRING whose last octet has `unusedBits` bits that do not count. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Uint8Array {
  return der(TAG.bitString, Uint8Array.of(unusedBits), bytes);
}

/** Text as PrintableString where its alphabet allows, UTF8String otherwise. */
export function directoryString(text: string): Uint8Array {
  const tag = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text) ? TAG.printableString : TAG.utf8String;
  return der(tag, new TextEncoder().encode(text));
}

/** Time to the second, as RFC 5280 wants it: UTCTime before 2050, GeneralizedTime from then on. */
export function time(at: Date): Uint8Array {
  const digits = at.toISOString().replace(/[-:T]/g, "").slice(0, 14) + "Z";
  return at.getUTCFullYear() < 2050
    ? der(TAG.utcTime, new TextEncoder().encode(digits.slice(2)))
    : der(TAG.generalizedTime, new TextEncoder().encode(digits));
}

/**
 * The date in a UTCTime or GeneralizedTime value.
 * @throws {SyntaxError} another type, or not in the form of RFC 5280.
 */
export function timeOf(value: DerValue): Date {
  const text = new TextDecoder().decode(value.contents);
  const century = value.tag === TAG.utcTime ? (Number(text.slice(0, 2)) < 50 ? "20" : "19") : "";
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(century + text);
  if (match === null) {
    throw new SyntaxError(`Cannot read a time of a certificate: "${text}" is not in UTC to the second`);
  }
  const [, year, month, day, hour, minute, second] = match;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/**
 * The values that follow one another in `bytes`; views, no copies.
 * @throws {SyntaxError} cut short, an indefinite length, or a tag of more than one octet.
 */
export function readDer(bytes: Uint8Array): DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const value = readOne(bytes, offset);
    values.push(value);
    offset += value.bytes.length;
  }
  return values;
}

function readOne(bytes: Uint8Array, offset: number): DerValue {
  const tag = bytes[offset] ?? 0;
  const first = bytes[offset + 1];
  if (first === undefined || first === 0x80 || first > 0x84 || (tag & 0x1f) === 0x1f) {
    throw new SyntaxError(`Cannot read DER text: no tag and length at byte ${offset}`);
  }
  const octets = first < 0x80 ? 0 : first & 0x7f;
  let length = octets === 0 ? first : 0;
  for (let at = 0; at < octets; at++) length = length * 256 + (bytes[offset + 2 + at] ?? 0);
  const start = offset + 2 + octets;
  if (start + length > bytes.length) {
    throw new SyntaxError(
      `Cannot read DER text: ${length} bytes announced at byte ${offset}, ${bytes.length - start} left`,
    );
  }
  return { tag, contents: bytes.subarray(start, start + length), bytes: bytes.subarray(offset, start + length) };
}
