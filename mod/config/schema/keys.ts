import {
  field,
  type FieldOptions,
  type FieldsOf,
  type FieldTable,
  type ListShape,
  textScalar,
  type TypedField,
  type TypedRecord,
} from "../../schema/mod.ts";

/** A document or part of it whose keys nothing here reads by name. */
export type Untyped = Readonly<Record<string, unknown>>;

/** A record of config keys: those of `T` typed against it, further ones known by shape only. */
export function keys<T>(): (fields: FieldsOf<T> & FieldTable) => TypedRecord<T> {
  return (fields) => ({ kind: "record", fields });
}

/** A record of config keys that nothing reads by name yet. */
export function untyped(fields: FieldTable): TypedRecord<Untyped> {
  return { kind: "record", fields };
}

const SECRET: FieldOptions = { secret: true };
const OMIT: FieldOptions = { omitEmpty: true };

/** Items of lists and maps. */
export const item = {
  text: field.string(),
  flag: field.bool(),
  int: field.int64(),
  ip: field.ip(),
  prefix: field.prefix(),
  textOrList: field.textOrList(),
  any: field.any(),
  secret: field.string(0, SECRET),
};

/** One of a few words. The empty text means not set. */
function words<const W extends string>(...list: readonly W[]): TypedField<W, true> {
  return field.optional(field.word(list));
}

function list<T>(
  of: TypedField<T, false>,
  options?: Pick<ListShape, "patch" | "key">,
): TypedField<readonly T[], true> {
  return field.optional(field.list(0, of, options));
}

function records<T>(of: TypedRecord<T>, options?: Pick<ListShape, "patch" | "key">): TypedField<readonly T[], true> {
  return list(field.record(0, of), options);
}

function map<T>(of: TypedField<T, false>): TypedField<Readonly<Record<string, T>>, true> {
  return field.optional(field.map(0, of));
}

function record<T>(of: TypedRecord<T>): TypedField<T, true> {
  return field.optional(field.record(0, of));
}

const TABLES = new Set(["unspec", "default", "main", "local"]);
const TABLE = textScalar(
  "a routing table: main, local, default or a number",
  (text) => TABLES.has(text) || (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) ? text : undefined,
);

/** Fields that a document may leave out. One object serves every key of its kind. */
export const key = {
  text: field.optional(item.text),
  flag: field.optional(item.flag),
  int: field.optional(item.int),
  uint32: field.optional(field.uint32()),
  ip: field.optional(item.ip),
  prefix: field.optional(item.prefix),
  mac: field.optional(field.mac()),
  /** Milliseconds; written as `1m30s`. */
  duration: field.optional(field.duration()),
  /** Kept as text: `10GiB`. */
  size: field.optional(field.size()),
  /** Kept as text: `10GiB`, `-1GiB`, `50%`. */
  sizeLimit: field.optional(field.sizeLimit()),
  hex: field.optional(field.hex()),
  table: field.optional(field.of(TABLE)),
  /** Decoded PEM text of a base64 value. */
  pem: field.optional(field.pem()),
  secretPem: field.optional(field.pem(0, SECRET)),
  secret: field.optional(item.secret),
  /** Free-form YAML, kept as it is. */
  any: field.optional(item.any),
  /** Free-form YAML that a patch replaces as a whole. */
  wholeAny: field.optional(field.any({ patch: "replace" })),
  /** Free-form YAML that holds key material. */
  secretAny: field.optional(field.any(SECRET)),
  texts: list(item.text),
  ips: list(item.ip),
  prefixes: list(item.prefix),
  textMap: map(item.text),
  /** Command line arguments: one value or several a name. */
  args: map(item.textOrList),
  words,
  list,
  records,
  record,
  /** Records by name. */
  recordMap: <T>(of: TypedRecord<T>) => map(field.record(0, of)),
  flagMap: map(item.flag),
};

/** Fields that a document must set. One that is left out decodes as the zero value; validation reports it. */
export const required = {
  text: field.string(0, OMIT),
  uint32: field.uint32(0, OMIT),
  prefix: field.prefix(0, OMIT),
  ip: field.ip(0, OMIT),
  secret: field.string(0, { ...OMIT, secret: true }),
};

/** A certificate and its key as decoded PEM text; base64 in the document. */
export interface KeyPair {
  readonly crt?: string;
  readonly key?: string;
}
/** Shape of a {@linkcode KeyPair}. */
export const KEY_PAIR = keys<KeyPair>()({ crt: key.pem, key: key.secretPem });

/** PEM text as such, not in base64. */
export const PEM_PAIR = untyped({ cert: key.text, key: key.secret });
