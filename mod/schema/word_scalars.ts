import { WireType } from "@bufbuild/protobuf/wire";
import { define, refuse } from "./scalar.ts";
import type { Scalar } from "./shape.ts";

const { Varint } = WireType;

/**
 * A word of `words`; its number travels. The first word with number 0 is zero, or else the empty text. A number that
 * has no word is kept as its digits.
 */
export function wordScalar(words: Readonly<Record<string, number>>): Scalar<string> {
  const byNumber = new Map(Object.entries(words).toReversed().map(([word, number]) => [number, word]));
  const numberOf = (word: string) => Object.hasOwn(words, word) ? words[word] ?? 0 : Math.trunc(Number(word)) || 0;
  const zero = byNumber.get(0) ?? "";
  const names = Object.keys(words).filter((word) => word !== "");
  const expected = names.length === 1 ? `"${names[0]}"` : `one of ${names.map((word) => `"${word}"`).join(", ")}`;
  return define<string>({
    expected,
    json: { type: "string", enum: names },
    wireType: Varint,
    zero,
    write: (w, v) => void w.int32(numberOf(v)),
    read(r) {
      const number = r.int32();
      return byNumber.get(number) ?? String(number);
    },
    parse: (plain) => typeof plain === "string" && Object.hasOwn(words, plain) ? plain : refuse(expected, plain),
  });
}

/** Flag names joined with `,`; the bits travel. */
export function flagScalar(bits: Readonly<Record<string, number>>): Scalar<string> {
  const entries = Object.entries(bits);
  const expected = `flags of ${entries.map(([name]) => name).join(", ")}`;
  return define<string>({
    expected,
    json: { type: "string" },
    wireType: Varint,
    zero: "",
    write: (w, v) => void w.uint32(flagBits(bits, v)),
    read(r) {
      const mask = r.uint32();
      return entries.filter(([, bit]) => (mask & bit) !== 0).map(([name]) => name).join(",");
    },
    parse(plain) {
      if (typeof plain !== "string") refuse(expected, plain);
      const unknown = plain.split(",").find((name) => name !== "" && !Object.hasOwn(bits, name));
      return unknown === undefined ? plain : refuse(expected, plain);
    },
  });
}

/** The bits of names joined with `,`; unknown names count nothing. */
export function flagBits(bits: Readonly<Record<string, number>>, names: string): number {
  return names.split(",").reduce((mask, name) => mask | (Object.hasOwn(bits, name) ? bits[name] ?? 0 : 0), 0) >>> 0;
}
