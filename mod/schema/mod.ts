/**
 * Records declared as data: one table of fields gives the type check, validation, protobuf, YAML and JSON forms.
 * @module
 */
export { checkRecord, ValidationError } from "./check.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export { deepFreeze, isEqual } from "./equal.ts";
export { field, type FieldOptions, record, type TypedRecord } from "./field.ts";
export { mergeRecord } from "./merge.ts";
export { nearest } from "./nearest.ts";
export { isEmpty, type PlainOptions, REDACTED, toPlain } from "./plain.ts";
export { decodeProto, encodeProto, writeProto, zeroOf, zeroRecord } from "./protobuf.ts";
export { ProtoWriter } from "./proto_writer.ts";
export { describe } from "./scalar.ts";
export { flagBits } from "./word_scalars.ts";
export type {
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
export { parseSize, parseSizeLimit, type SizeLimit } from "./size.ts";
export { textScalar } from "./text_scalars.ts";
export { toYaml } from "./yaml.ts";
export { isPlainText, yamlText } from "./yaml_text.ts";
