import { decodeProto, encodeProto, toPlain, toYaml } from "../schema/mod.ts";
import type { AnyDefinition } from "./definition.ts";
import type { Metadata } from "./metadata.ts";
import { formatVersion } from "./metadata_edit.ts";
import { OpaqueSpec, type Resource } from "./resource.ts";
import { compareText } from "./text_order.ts";
import { formatTimestamp } from "./timestamp.ts";

/** The two encodings of one version of a resource, each made when it is first asked for. */
interface Encodings {
  proto?: Uint8Array | undefined;
  yaml?: string;
}
const encodings = new WeakMap<Resource, Encodings>();

function encodingsOf(resource: Resource): Encodings {
  let made = encodings.get(resource);
  if (made === undefined) encodings.set(resource, made = {});
  return made;
}

function known(resource: Resource, definition: AnyDefinition | undefined): AnyDefinition {
  if (definition === undefined) {
    throw new TypeError(`Cannot encode ${resource.metadata.type}: the type is not known and its spec is not opaque`);
  }
  return definition;
}

/**
 * The protobuf form of a spec; undefined when there is none to send. An opaque spec gives back its bytes. The bytes are
 * shared. @throws {TypeError} for a spec that is not opaque, without its definition.
 */
export function encodeSpec(resource: Resource, definition?: AnyDefinition): Uint8Array | undefined {
  const { spec } = resource;
  if (spec instanceof OpaqueSpec) return spec.proto;
  const made = encodingsOf(resource);
  if (!("proto" in made)) {
    const bytes = encodeProto(known(resource, definition).shape, spec);
    made.proto = bytes.length === 0 ? undefined : bytes; // empty travels as absent (clause 5.22)
  }
  return made.proto;
}

/**
 * The spec of received bytes: of a known type its record, else both encodings as they came.
 * @throws {RangeError} when the bytes of a known type are cut off.
 */
export function decodeSpec(
  definition: AnyDefinition | undefined,
  proto: Uint8Array | undefined,
  yaml: string,
): unknown {
  if (definition !== undefined) return decodeProto(definition.shape, proto ?? NO_BYTES);
  return new OpaqueSpec(proto === undefined || proto.length === 0 ? undefined : proto, yaml);
}

const NO_BYTES = new Uint8Array(0);

/** The spec as YAML and JSON show it. @throws {TypeError} for an opaque spec, or without definition. */
export function plainSpec(resource: Resource, definition?: AnyDefinition): unknown {
  const { plain, shape } = known(resource, definition);
  return plain === undefined ? toPlain(shape, resource.spec) : plain(resource.spec);
}

/** YAML text of a spec. An opaque one gives back its text. @throws {TypeError} as {@link encodeSpec}. */
export function specYaml(resource: Resource, definition?: AnyDefinition): string {
  const { spec } = resource;
  if (spec instanceof OpaqueSpec) return spec.yaml;
  const made = encodingsOf(resource);
  if (made.yaml === undefined) {
    const plain = plainSpec(resource, definition);
    made.yaml = typeof plain === "string" ? textYaml(plain) : toYaml(plain);
  }
  return made.yaml;
}

/**
 * A text that is the whole document. Several lines are a block, indented as Go prints it, so that it can stand below a
 * key as it is; a block cannot hold everything.
 */
function textYaml(text: string): string {
  if (!text.includes("\n")) return toYaml(text);
  if (BEYOND_BLOCKS.test(text)) return `${JSON.stringify(text)}\n`;
  const ending = text.endsWith("\n\n") ? "+" : text.endsWith("\n") ? "" : "-";
  const block = `|${ending}\n${text}`.replaceAll(/\n(?=[^\n])/g, "\n    ");
  return text.endsWith("\n") ? block : `${block}\n`;
}

/** White space at the start counts as indentation; control characters have to be escaped. */
const BEYOND_BLOCKS = /^\s|[^\P{Cc}\n\t]|\u{feff}/u;

/** Metadata in the order in which it is shown; what may be empty is left out (clause 1.36). */
export function plainMetadata(metadata: Metadata): Record<string, unknown> {
  const { namespace, type, id, version, owner, phase, labels, annotations, finalizers } = metadata;
  const number = version === undefined || version > BigInt(Number.MAX_SAFE_INTEGER) ? version : Number(version);
  return {
    ...{ namespace, type, id, version: number === undefined ? formatVersion(version) : number },
    owner: owner === "" ? null : owner,
    phase,
    created: formatTimestamp(metadata.created),
    updated: formatTimestamp(metadata.updated),
    ...(labels.size === 0 ? {} : { labels: sorted(labels) }),
    ...(annotations.size === 0 ? {} : { annotations: sorted(annotations) }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
  };
}

/** A map keeps keys such as `__proto__` and numbers in their order. */
function sorted(map: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...map].sort(([a], [b]) => compareText(a, b)));
}
