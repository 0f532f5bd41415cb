import type {
  AnyShape,
  Field,
  FieldsOf,
  FieldTable,
  ListShape,
  MapShape,
  RecordShape,
  Scalar,
  Shape,
  TypedField,
} from "./shape.ts";
import * as net from "./net_scalars.ts";
import * as scalars from "./scalars.ts";
import * as texts from "./text_scalars.ts";
import * as times from "./time_scalars.ts";
import { flagScalar, wordScalar } from "./word_scalars.ts";

/** Marks of a field, all off unless named. */
export interface FieldOptions {
  readonly omitEmpty?: boolean;
  readonly secret?: boolean;
  readonly deprecated?: string;
}

function make<T>(shape: Shape, number: number, options: FieldOptions): TypedField<T, false> {
  const { omitEmpty = false, secret = false, deprecated } = options;
  const base = { shape, number, optional: false as const, omitEmpty, secret };
  return deprecated === undefined ? base : { ...base, deprecated };
}

function scalar<T>(shape: Scalar<T>) {
  return (number = 0, options: FieldOptions = {}): TypedField<T, false> => make(shape as Scalar, number, options);
}

const NONE: FieldOptions = {};

/**
 * Builders of fields. The first argument is the protobuf field number (0 or absent: the field does not travel),
 * the last holds the marks.
 */
export const field = {
  string: scalar(scalars.STRING),
  bool: scalar(scalars.BOOL),
  int32: scalar(scalars.INT32),
  uint32: scalar(scalars.UINT32),
  /** 64-bit on the wire, a safe integer here. */
  int64: scalar(scalars.INT64),
  uint64: scalar(scalars.UINT64),
  float64: scalar(scalars.FLOAT64),
  /** Bytes, base64 in YAML. */
  bytes: scalar(scalars.BYTES),
  /** Text that travels as bytes, such as a file's contents or PEM. */
  text: scalar(scalars.TEXT),
  /** PEM text, base64 in YAML, `common.PEMEncoded…` members on the wire are bytes. */
  pem: scalar(scalars.PEM),
  /** An IP address, `common.NetIP` on the wire. */
  ip: scalar(net.IP),
  /** A CIDR prefix with host bits, `common.NetIPPrefix` on the wire. */
  prefix: scalar(net.PREFIX),
  /** A hardware address, bytes on the wire. */
  mac: scalar(net.MAC),
  /** A URL, `common.URL` on the wire. */
  url: scalar(net.URL_TEXT),
  /** Milliseconds here, Go duration text (`1m30s`) in YAML, `google.protobuf.Duration` on the wire. */
  duration: scalar(times.DURATION),
  /** RFC 3339 text, `google.protobuf.Timestamp` on the wire. */
  timestamp: scalar(times.TIMESTAMP),
  /** Bytes as people write them (`10GiB`), kept as text: see `parseSize`. */
  size: scalar(texts.SIZE),
  /** A size, a share (`50%`) or space left free (`-1GiB`), kept as text: see `parseSizeLimit`. */
  sizeLimit: scalar(texts.SIZE_LIMIT),
  /** Bytes in hexadecimal, kept as text. */
  hex: scalar(texts.HEX),
  /** One text or a list of them, for records that do not travel. */
  textOrList: scalar(texts.TEXT_OR_LIST),

  /** A scalar of the caller's own, such as one of `textScalar`. */
  of<T>(shape: Scalar<T>, options: FieldOptions = NONE): TypedField<T, false> {
    return make(shape as Scalar, 0, options);
  },

  /** One word of a table; the table's number travels. */
  oneOf<const W extends Readonly<Record<string, number>>>(
    number: number,
    words: W,
    options: FieldOptions = NONE,
  ): TypedField<keyof W & string, false> {
    return make(wordScalar(words), number, options);
  },
  /** One word of a list, for records that do not travel. */
  word<const W extends string>(words: readonly W[], options: FieldOptions = NONE): TypedField<W, false> {
    const table = Object.fromEntries(words.map((word, index) => [word, index + 1])); // none of them is zero
    return make(wordScalar(table), 0, options);
  },
  /** A set of flags: bit mask on the wire, names joined with `,` in YAML. */
  flags(
    number: number,
    bits: Readonly<Record<string, number>>,
    options: FieldOptions = NONE,
  ): TypedField<string, false> {
    return make(flagScalar(bits), number, options);
  },
  /** A record of its own. */
  record<T>(number: number, shape: TypedRecord<T>, options: FieldOptions = NONE): TypedField<T, false> {
    return make(shape, number, options);
  },
  /** A list of what `item` holds. */
  list<T>(
    number: number,
    item: TypedField<T, false>,
    options: FieldOptions & Pick<ListShape, "patch" | "key"> = NONE,
  ): TypedField<readonly T[], false> {
    const { patch, key } = options;
    const shape: ListShape = {
      kind: "list",
      item: item.shape,
      ...(patch === undefined ? {} : { patch }),
      ...(key === undefined ? {} : { key }),
    };
    return make(shape, number, options);
  },
  /** A map from text to what `value` holds. */
  map<T>(
    number: number,
    value: TypedField<T, false>,
    options: FieldOptions = NONE,
  ): TypedField<Readonly<Record<string, T>>, false> {
    const shape: MapShape = { kind: "map", value: value.shape };
    return make(shape, number, options);
  },
  /** Free-form YAML, kept as it is. */
  any(options: FieldOptions & Pick<AnyShape, "patch"> = NONE): TypedField<unknown, false> {
    const { patch } = options;
    return make(patch === undefined ? { kind: "any" } : { kind: "any", patch }, 0, options);
  },
  /** The same field, but its key may be absent, which differs from zero. */
  optional<T>(inner: TypedField<T, false>): TypedField<T, true> {
    return { ...(inner as Field), optional: true };
  },
};

declare const recordType: unique symbol;

/** A record shape that holds a `T`. */
export interface TypedRecord<T> extends RecordShape {
  readonly [recordType]?: (value: T) => T;
}

/** A record, typed over its interface: a field that is missing or of another type does not compile. */
export function record<T>(): (fields: FieldsOf<T>) => TypedRecord<T> {
  return (fields) => ({ kind: "record", fields: fields as FieldTable });
}
