import type { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { ProtoWriter } from "./proto_writer.ts";

/**
 * A value without parts: how it is read from foreign text, shown, and put on the wire.
 * One object serves every field of its kind, so a table of hundreds of types stays small.
 */
export interface Scalar<T = unknown> {
  readonly kind: "scalar";
  /** What a person must write, for messages: `a CIDR prefix such as 10.0.0.5/24`. */
  readonly expected: string;
  /** JSON schema of the text form. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly wireType: WireType;
  /** On the wire the value is a message of its own, so `read` is told its length. */
  readonly message?: boolean;
  /** What proto3 leaves out and an absent wire field means. */
  readonly zero: T;
  isZero(value: T): boolean;
  write(writer: ProtoWriter, value: T): void;
  read(reader: BinaryReader, length: number): T;
  /** Value from YAML or JSON. @throws {SyntaxError} with what is wrong, without the place. */
  parse(plain: unknown): T;
  /** Value as YAML and JSON show it. */
  format(value: T): unknown;
}

/** A record: named fields in the order in which YAML shows them. */
export interface RecordShape {
  readonly kind: "record";
  readonly fields: FieldTable;
}

/** A list of equal items. */
export interface ListShape {
  readonly kind: "list";
  readonly item: Shape;
  /** `replace`: a patch puts its list in place of the old one, instead of appending to it. */
  readonly patch?: "replace";
  /** Names of fields whose equality makes two items one, when patches merge. */
  readonly key?: readonly string[];
}

/** A map from text to equal values: a plain object without a prototype. */
export interface MapShape {
  readonly kind: "map";
  readonly value: Shape;
}

/** Free-form YAML that is kept as it is (Kubernetes objects, TOML fragments). Not on the wire. */
export interface AnyShape {
  readonly kind: "any";
  /** `replace`: a patch puts its value in place of the old one, instead of merging into it. */
  readonly patch?: "replace";
}

/** The form of a value, as data. Everything else here walks it. */
export type Shape = Scalar | RecordShape | ListShape | MapShape | AnyShape;

/** One field of a record. */
export interface Field {
  readonly shape: Shape;
  /** Protobuf field number; 0 when the field does not travel. */
  readonly number: number;
  /** The key may be absent, and absent differs from zero. */
  readonly optional: boolean;
  /** YAML and JSON leave the key out while the value is zero. */
  readonly omitEmpty: boolean;
  /** Key material or passwords: shown as `******` where a secret must not be seen. */
  readonly secret: boolean;
  /** Text shown when a document uses this key: what replaces it. */
  readonly deprecated?: string;
}

/** Fields by key. */
export type FieldTable = Readonly<Record<string, Field>>;

declare const fieldType: unique symbol;
declare const fieldOptional: unique symbol;

/** A field that holds a `T`; the marks exist for the compiler only. */
export interface TypedField<T, Optional extends boolean = boolean> extends Field {
  readonly [fieldType]?: (value: T) => T;
  readonly [fieldOptional]?: Optional;
}

/** Keys of `T` that may be absent. */
type OptionalKey<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? K : never }[keyof T];

/** The field table of `T`: every key, each with a field of its type, optional exactly where the interface says so. */
export type FieldsOf<T> = {
  readonly [K in keyof T]-?: TypedField<Exclude<T[K], undefined>, K extends OptionalKey<T> ? true : false>;
};
