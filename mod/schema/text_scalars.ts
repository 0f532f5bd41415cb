import { WireType } from "@bufbuild/protobuf/wire";
import { describe } from "./scalar.ts";
import { STRING } from "./scalars.ts";
import type { Scalar } from "./shape.ts";
import { parseSize, parseSizeLimit } from "./size.ts";

/** Text of a form of its own: `check` gives the text to keep, or undefined when it has not the form `expected`. */
export function textScalar(expected: string, check: (text: string) => string | undefined): Scalar<string> {
  return {
    ...STRING,
    expected,
    parse(plain) {
      const text = typeof plain === "number" ? String(plain) : plain;
      const kept = typeof text === "string" ? text === "" ? "" : check(text) : undefined;
      if (kept === undefined) throw new SyntaxError(`expected ${expected}, found ${describe(plain)}`);
      return kept;
    },
  };
}

export const SIZE = textScalar(
  "a size such as 10GiB",
  (text) => parseSize(text) === undefined ? undefined : text,
);

export const SIZE_LIMIT = textScalar(
  "a size such as 10GiB, -1GiB or 50%",
  (text) => parseSizeLimit(text) === undefined ? undefined : text,
);

export const HEX = textScalar(
  "bytes in hexadecimal such as 00:01:ab",
  (text) => /^([0-9a-f]{2}:?)+$/i.test(text) ? text : undefined,
);

const TEXT_OR_LIST_EXPECTED = "text or a list of texts";

/** One text or several; does not travel on the wire. */
export const TEXT_OR_LIST: Scalar<string | readonly string[]> = {
  kind: "scalar",
  expected: TEXT_OR_LIST_EXPECTED,
  json: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  wireType: WireType.LengthDelimited,
  zero: "",
  isZero: (value) => value.length === 0,
  write() {
    throw new TypeError(`Cannot encode ${TEXT_OR_LIST_EXPECTED}: it has no wire form`);
  },
  read() {
    throw new TypeError(`Cannot decode ${TEXT_OR_LIST_EXPECTED}: it has no wire form`);
  },
  parse(plain) {
    if (Array.isArray(plain)) return plain.map((item) => STRING.parse(item));
    if (typeof plain === "object") {
      throw new SyntaxError(`expected ${TEXT_OR_LIST_EXPECTED}, found ${describe(plain)}`);
    }
    return STRING.parse(plain);
  },
  format: (value) => value,
};
