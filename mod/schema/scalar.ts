import type { BinaryReader } from "@bufbuild/protobuf/wire";
import type { Scalar } from "./shape.ts";

/** Says what was expected and what came. */
export function refuse(expected: string, plain: unknown): never {
  throw new SyntaxError(`expected ${expected}, found ${describe(plain)}`);
}

/** A short, safe description of a foreign value. */
export function describe(plain: unknown): string {
  if (plain === null || plain === undefined) return "nothing";
  if (Array.isArray(plain)) return "a list";
  if (typeof plain === "object") return "a mapping";
  const text = typeof plain === "string" ? JSON.stringify(plain) : String(plain);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

type Part<T> = Omit<Scalar<T>, "kind" | "isZero" | "format"> & Partial<Pick<Scalar<T>, "isZero" | "format">>;

/** A scalar from what is special about it. */
export function define<T>(part: Part<T>): Scalar<T> {
  return { kind: "scalar", isZero: (value) => value === part.zero, format: (value) => value, ...part };
}

/** The text side of a scalar that `check` brings into its canonical form. */
export function textual(expected: string, check: (text: string) => string): Pick<Scalar<string>, "expected" | "parse"> {
  return {
    expected,
    parse(plain) {
      if (typeof plain !== "string") refuse(expected, plain);
      try {
        return check(plain);
      } catch {
        // The parser's own words name a detail; what the person needs is the form.
        refuse(expected, plain);
      }
    },
  };
}

/** Reads the members of a small message: `on(number)` consumes a known one and tells whether it did. */
export function readMembers(reader: BinaryReader, length: number, on: (number: number) => boolean): void {
  const end = reader.pos + length;
  while (reader.pos < end) {
    const [number, wire] = reader.tag();
    if (!on(number)) reader.skip(wire, number);
  }
}
