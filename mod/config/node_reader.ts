import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Scalar as ScalarNode } from "yaml";
import { nearest, type RecordShape, type Scalar, type Shape, zeroOf } from "../schema/mod.ts";
import type { Problem } from "./problem.ts";
import { booleanOf, isNull, plainOf, textOf } from "./scalar_text.ts";

/** Levels of nesting, and nodes that all aliases of a text may expand to. */
const MAX_DEPTH = 100;
const MAX_ALIASED = 50_000;
/** Problems after which reading stops: a person reads no more, and a hostile text should not cost more. */
export const MAX_PROBLEMS = 50;

/** Tags that say what the key says anyway. Others (`!!binary`, `!custom`) are refused. */
const PLAIN_TAG = /^(!|tag:yaml\.org,2002:(str|int|float|bool|null|map|seq))$/;

/** The entries of a mapping, merge keys expanded: key text → where the key stands, and the value. */
type Entries = Map<string, { readonly at: Node; readonly value: Node | null }>;

/** Marks a value that is absent or was reported as a problem. */
const NOTHING = Symbol("nothing");

/** Turns the nodes of one YAML document into values of a shape, and collects what is wrong. */
export class NodeReader {
  readonly problems: Problem[];
  readonly #lines: LineCounter;
  readonly #document: number;
  readonly #anchors = new Map<string, Node>();
  #aliased = 0;
  #inAlias = 0;

  constructor(lines: LineCounter, document: number, problems: Problem[]) {
    this.#lines = lines;
    this.#document = document;
    this.problems = problems;
  }

  /** Adds a problem at a node, or at an offset in the text. */
  report(at: Node | number, path: string, message: string): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    const { line, col } = this.#lines.linePos(typeof at === "number" ? at : at.range?.[0] ?? 0);
    this.problems.push({ document: this.#document, line: Math.max(line, 1), column: Math.max(col, 1), path, message });
  }

  /** A record's value from the entries of its mapping, but for those named in `skip`. */
  record(
    shape: RecordShape,
    entries: Entries,
    path: string,
    depth: number,
    skip?: ReadonlySet<string>,
  ): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (const [name, entry] of entries) { // in the order of the text, so that anchors are seen before their aliases
      const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
      if (field !== undefined) {
        const member = this.#value(field.shape, entry.value, join(path, name), depth, field.secret);
        if (member !== NOTHING) value[name] = member;
      } else if (!skip?.has(name) && this.problems.length < MAX_PROBLEMS) {
        this.report(entry.at, join(path, name), noSuchKey(name, Object.keys(shape.fields)));
      }
    }
    for (const [name, field] of Object.entries(shape.fields)) {
      if (!field.optional && !Object.hasOwn(value, name)) value[name] = zeroOf(field.shape);
    }
    return value;
  }

  /** A value without a shape, as free-form YAML is kept. */
  free(node: Node | null): unknown {
    return node === null ? null : this.#anyMember(node, "", 0);
  }

  /** Entries of a mapping; undefined and a problem when the node is something else. */
  entries(node: Node | null, path: string): Entries | undefined {
    const target = this.#resolve(node, path);
    if (target === undefined || target === null) return undefined;
    if (!isMap(target)) {
      this.report(target, path, `expected a mapping, found ${kindOf(target)}`);
      return undefined;
    }
    const entries: Entries = new Map();
    const merged: (Node | null)[] = [];
    for (const pair of target.items as Pair<Node, Node | null>[]) this.#entry(pair, path, entries, merged);
    for (const source of merged) this.#merge(source, path, entries);
    return entries;
  }

  #entry(pair: Pair<Node, Node | null>, path: string, entries: Entries, merged: (Node | null)[]): void {
    if (!isScalar(pair.key)) {
      return this.report(pair.key ?? 0, path, "expected a name as key");
    }
    this.#register(pair.key);
    if (pair.value !== null) this.#register(pair.value);
    const name = textOf(pair.key);
    if (name === "<<" && pair.key.type === "PLAIN") merged.push(pair.value);
    else if (entries.has(name)) this.report(pair.key, join(path, name), "the key stands here twice");
    else entries.set(name, { at: pair.key, value: pair.value });
  }

  #merge(source: Node | null, path: string, entries: Entries): void {
    const at = join(path, "<<");
    const target = this.#resolve(source, at);
    if (target === undefined || target === null) return;
    if (!this.#enter(target, at)) return;
    const maps = isSeq(target) ? target.items as Node[] : [target];
    for (const map of maps) {
      for (const [name, entry] of this.entries(map, at) ?? []) if (!entries.has(name)) entries.set(name, entry);
    }
    this.#inAlias--;
  }

  #value(shape: Shape, node: Node | null, path: string, depth: number, secret: boolean): unknown {
    const target = this.#resolve(node, path);
    if (target === undefined || target === null || (isScalar(target) && isNull(target))) return NOTHING;
    if (depth > MAX_DEPTH) {
      this.report(target, path, `nested deeper than ${MAX_DEPTH} levels`);
      return NOTHING;
    }
    const aliased = isAlias(node);
    if (aliased || this.#inAlias > 0) {
      if (!this.#enter(target, path)) return NOTHING;
      const value = this.#shaped(shape, target, path, depth, secret);
      this.#inAlias--;
      return value;
    }
    return this.#shaped(shape, target, path, depth, secret);
  }

  #shaped(shape: Shape, node: Node, path: string, depth: number, secret: boolean): unknown {
    switch (shape.kind) {
      case "scalar":
        return this.#scalar(shape, node, path, depth, secret);
      case "record": {
        const entries = this.entries(node, path);
        return entries === undefined ? NOTHING : this.record(shape, entries, path, depth + 1);
      }
      case "list":
        return this.#list(shape.item, node, path, depth, secret);
      case "map":
        return this.#map(shape.value, node, path, depth, secret);
      case "any":
        return this.#any(node, path, depth);
    }
  }

  #scalar(shape: Scalar, node: Node, path: string, depth: number, secret: boolean): unknown {
    const plain = isScalar(node) ? scalarFor(shape, node) : this.#any(node, path, depth);
    try {
      return shape.parse(plain);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.report(node, path, secret ? `expected ${shape.expected}` : error.message);
      return NOTHING;
    }
  }

  #list(item: Shape, node: Node, path: string, depth: number, secret: boolean): unknown {
    if (!isSeq(node)) {
      this.report(node, path, `expected a list, found ${kindOf(node)}`);
      return NOTHING;
    }
    const list: unknown[] = [];
    (node as YAMLSeq<Node>).items.forEach((each, index) => {
      const value = this.#value(item, each, `${path}[${index}]`, depth + 1, secret);
      if (value !== NOTHING) list.push(value);
    });
    return list;
  }

  #map(shape: Shape, node: Node, path: string, depth: number, secret: boolean): unknown {
    const entries = this.entries(node, path);
    if (entries === undefined) return NOTHING;
    const map: Record<string, unknown> = Object.create(null);
    for (const [name, { value }] of entries) {
      const member = this.#value(shape, value, join(path, name), depth + 1, secret);
      if (member !== NOTHING) map[name] = member;
      else if (shape.kind === "scalar" && shape.zero === "") map[name] = "";
    }
    return map;
  }

  #any(node: Node, path: string, depth: number): unknown {
    if (isScalar(node)) return plainOf(node);
    if (isSeq(node)) {
      return (node as YAMLSeq<Node>).items.map((each, index) => this.#anyMember(each, `${path}[${index}]`, depth));
    }
    const map: Record<string, unknown> = Object.create(null);
    for (const [name, { value }] of this.entries(node, path) ?? []) {
      map[name] = value === null ? null : this.#anyMember(value, join(path, name), depth);
    }
    return map;
  }

  #anyMember(node: Node, path: string, depth: number): unknown {
    const value = this.#value({ kind: "any" }, node, path, depth + 1, false);
    return value === NOTHING ? null : value;
  }

  /** The node itself, or what an alias stands for; undefined and a problem when there is no such thing. */
  #resolve(node: Node | null, path: string): Node | null | undefined {
    if (node === null) return null;
    if (!isAlias(node)) {
      this.#register(node);
      if (node.tag !== undefined && !PLAIN_TAG.test(node.tag)) {
        this.report(node, path, `the tag ${node.tag.replace("tag:yaml.org,2002:", "!!")} is not supported`);
        return undefined;
      }
      return node;
    }
    const target = this.#anchors.get(node.source);
    if (target === undefined) this.report(node, path, `there is no anchor "${node.source}" before this alias`);
    return target;
  }

  #register(node: Node): void {
    const { anchor } = node as YAMLMap | YAMLSeq | ScalarNode;
    if (anchor !== undefined) this.#anchors.set(anchor, node);
  }

  /** Counts a node reached through an alias; false and a problem once they are too many or nest too deep. */
  #enter(node: Node, path: string): boolean {
    const before = this.#aliased;
    this.#aliased += isScalar(node) ? 1 : 1 + (node as YAMLMap | YAMLSeq).items.length;
    if (this.#aliased > MAX_ALIASED) {
      if (before <= MAX_ALIASED) this.report(node, path, `aliases stand for more than ${MAX_ALIASED} values`);
      return false;
    }
    if (this.#inAlias >= MAX_DEPTH) {
      this.report(node, path, `aliases nest deeper than ${MAX_DEPTH} levels`);
      return false;
    }
    this.#inAlias++;
    return true;
  }
}

/** Says that a key is not known, and which one was probably meant. */
export function noSuchKey(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? "no such key" : `no such key, did you mean "${meant}"?`;
}

function scalarFor(shape: Scalar, node: ScalarNode): unknown {
  switch (shape.json.type) {
    case "boolean":
      return booleanOf(node);
    case "integer":
    case "number":
      return plainOf(node);
    default:
      return textOf(node);
  }
}

function kindOf(node: Node): string {
  if (isMap(node)) return "a mapping";
  return isSeq(node) ? "a list" : "a single value";
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
