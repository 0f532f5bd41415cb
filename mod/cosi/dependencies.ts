import type { AnyInput, Output } from "./inputs.ts";
import { RegistrationError } from "./errors.ts";

/** How a controller and a type are connected. */
export type EdgeType =
  | "outputExclusive"
  | "outputShared"
  | "inputStrong"
  | "inputWeak"
  | "inputDestroyReady"
  | "inputQPrimary"
  | "inputQMapped"
  | "inputQMappedDestroyReady";

/** One connection between a controller and a type (clause 3.45). */
export interface DependencyEdge {
  readonly controller: string;
  readonly edge: EdgeType;
  /** Empty for outputs, which may be in any namespace. */
  readonly namespace: string;
  readonly type: string;
  /** The one object an input is about; empty for all. */
  readonly id: string;
}

const ORDER: readonly EdgeType[] = [
  "outputExclusive",
  "outputShared",
  "inputStrong",
  "inputWeak",
  "inputDestroyReady",
  "inputQPrimary",
  "inputQMapped",
  "inputQMappedDestroyReady",
];
const INPUT_EDGE = {
  strong: "inputStrong",
  weak: "inputWeak",
  destroyReady: "inputDestroyReady",
  qPrimary: "inputQPrimary",
  qMapped: "inputQMapped",
  qMappedDestroyReady: "inputQMappedDestroyReady",
} as const;

/** What a controller declares, whatever its style. */
interface Declared {
  readonly name: string;
  readonly inputs: readonly AnyInput[];
  readonly outputs: readonly Output[];
  /** Only queue controllers have it. */
  readonly concurrency?: number;
}

/** Who writes and who reads what. */
export class Dependencies {
  readonly #inputs = new Map<string, readonly AnyInput[]>();
  readonly #outputs = new Map<string, readonly Output[]>();
  readonly #writers = new Map<string, { readonly exclusive: boolean; readonly controllers: string[] }>();

  /** Takes a controller in as a whole or not at all (clause 3.24). @throws {RegistrationError} */
  add({ name, inputs, outputs, concurrency }: Declared): void {
    if (this.#inputs.has(name)) throw new RegistrationError(name, "it is already registered");
    this.#checkInputs(name, inputs, concurrency !== undefined);
    const types = new Set<string>();
    for (const { definition, kind } of outputs) this.#checkOutput(name, definition.type, kind, types);
    this.#inputs.set(name, inputs);
    this.#outputs.set(name, outputs);
    for (const { definition: { type }, kind } of outputs) {
      const writer = this.#writers.get(type);
      if (writer === undefined) this.#writers.set(type, { exclusive: kind === "exclusive", controllers: [name] });
      else writer.controllers.push(name);
    }
  }

  #checkOutput(name: string, type: string, kind: Output["kind"], types: Set<string>): void {
    if (types.has(type)) throw new RegistrationError(name, `it names output ${type} twice`);
    types.add(type);
    const writer = this.#writers.get(type);
    if (writer === undefined || (!writer.exclusive && kind === "shared")) return;
    const mode = writer.exclusive ? "exclusive" : "shared";
    const others = writer.controllers.map((other) => `"${other}"`).join(", ");
    throw new RegistrationError(name, `${type} is already managed in ${mode} mode by ${others}`);
  }

  #checkInputs(name: string, inputs: readonly AnyInput[], isQueue: boolean): void {
    const seen = new Set<string>();
    for (const { namespace, definition: { type }, id, kind } of inputs) {
      if (kind.startsWith("q") !== isQueue) {
        throw new RegistrationError(name, `input ${type} cannot be of kind ${kind}`);
      }
      const key = JSON.stringify([namespace, type, id]);
      if (seen.has(key)) throw new RegistrationError(name, `it names input ${type} in "${namespace}" twice`);
      seen.add(key);
    }
  }

  /** @throws {RegistrationError} for a duplicate; the old inputs stay. */
  replaceInputs(name: string, inputs: readonly AnyInput[]): void {
    this.#checkInputs(name, inputs, false);
    this.#inputs.set(name, inputs);
  }

  /** Forgets a controller; its types can be had by others. */
  remove(name: string): void {
    for (const { definition: { type } } of this.#outputs.get(name) ?? []) {
      const writer = this.#writers.get(type);
      if (writer === undefined) continue;
      writer.controllers.splice(writer.controllers.indexOf(name), 1);
      if (writer.controllers.length === 0) this.#writers.delete(type);
    }
    this.#inputs.delete(name);
    this.#outputs.delete(name);
  }

  /** All connections: outputs first, then by type of edge, controller, namespace, type and id. */
  edges(): DependencyEdge[] {
    const edges: DependencyEdge[] = [];
    for (const [controller, outputs] of this.#outputs) {
      for (const { definition: { type }, kind } of outputs) {
        const edge = kind === "exclusive" ? "outputExclusive" : "outputShared";
        edges.push({ controller, edge, namespace: "", type, id: "" });
      }
    }
    for (const [controller, inputs] of this.#inputs) {
      for (const { definition: { type }, kind, namespace, id = "" } of inputs) {
        edges.push({ controller, edge: INPUT_EDGE[kind], namespace, type, id });
      }
    }
    return edges.sort(compareEdges);
  }
}

function compareEdges(a: DependencyEdge, b: DependencyEdge): number {
  return ORDER.indexOf(a.edge) - ORDER.indexOf(b.edge) || compare(a.controller, b.controller) ||
    compare(a.namespace, b.namespace) || compare(a.type, b.type) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
