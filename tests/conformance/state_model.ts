import type { Phase } from "../../mod/cosi/mod.ts";

/** What one writer wants; places are numbers, so that the model is plain. */
export type Operation =
  | {
    readonly do: "create";
    readonly kind: number;
    readonly id: string;
    readonly owner: string;
    readonly value: number;
  }
  | {
    readonly do: "update";
    readonly kind: number;
    readonly id: string;
    readonly owner: string;
    readonly version: number;
    readonly expected: Phase | "any";
    readonly phase: Phase;
    readonly finalizers: readonly string[];
    readonly value: number;
  }
  | { readonly do: "destroy"; readonly kind: number; readonly id: string; readonly owner: string }
  | { readonly do: "teardown"; readonly kind: number; readonly id: string; readonly owner: string }
  | { readonly do: "all"; readonly kind: number; readonly steps: readonly Operation[] };

/** How it ends: `ok`, `missing`, or the reason of the conflict. */
export type Outcome = "ok" | "missing" | "exists" | "version" | "owner" | "phase" | "finalizers";

export interface ModelObject {
  readonly version: number;
  readonly owner: string;
  readonly phase: Phase;
  readonly finalizers: readonly string[];
  readonly value: number;
}

export interface ModelEvent {
  readonly type: "created" | "updated" | "destroyed";
  readonly id: string;
  readonly version: number;
  readonly value: number;
  /** Version before an update. */
  readonly old: number;
}

/** One collection: what is there and all that ever happened. */
export class KindModel {
  readonly objects = new Map<string, ModelObject>();
  readonly log: ModelEvent[] = [];

  put(type: "created" | "updated", id: string, object: ModelObject): void {
    const old = this.objects.get(id)?.version ?? 0;
    this.objects.set(id, object);
    this.log.push({ type, id, version: object.version, value: object.value, old });
  }

  remove(id: string, { version, value }: ModelObject): void {
    this.objects.delete(id);
    this.log.push({ type: "destroyed", id, version, value, old: 0 });
  }
}

/** The rules of cosi.md 2-D in the plainest form: no sharing, no history limit, no watches. */
export class StateModel {
  readonly kinds: readonly KindModel[];

  constructor(kinds: number) {
    this.kinds = Array.from({ length: kinds }, () => new KindModel());
  }

  kind(number: number): KindModel {
    const found = this.kinds[number];
    if (found === undefined) throw new RangeError(`there is no kind ${number}`);
    return found;
  }

  /** Does it, and tells how it ends. */
  apply(operation: Operation): Outcome {
    const kind = this.kind(operation.kind);
    if (operation.do === "all") return this.#all(operation.steps);
    const { id, owner } = operation;
    const stored = kind.objects.get(id);
    if (operation.do === "create") {
      if (stored !== undefined) return "exists";
      kind.put("created", id, { version: 1, owner, phase: "running", finalizers: [], value: operation.value });
      return "ok";
    }
    if (stored === undefined) return "missing";
    if (stored.owner !== owner) return "owner";
    const version = stored.version + 1;
    if (operation.do === "update") {
      const { expected, phase, finalizers, value } = operation;
      if (stored.version !== operation.version) return "version";
      if (expected !== "any" && stored.phase !== expected) return "phase";
      kind.put("updated", id, { version, owner, phase, finalizers, value });
    } else if (operation.do === "destroy") {
      if (stored.finalizers.length > 0) return "finalizers";
      kind.remove(id, stored);
    } else if (stored.phase === "running") {
      kind.put("updated", id, { ...stored, version, phase: "tearingDown" });
    }
    return "ok";
  }

  /** All or nothing. */
  #all(steps: readonly Operation[]): Outcome {
    const before = this.kinds.map(({ log }) => log.length);
    const objects = steps.map(({ kind, ...step }) => {
      const id = "id" in step ? step.id : "";
      return { kind, id, object: this.kind(kind).objects.get(id) };
    });
    for (const step of steps) {
      const outcome = this.apply(step);
      if (outcome === "ok") continue;
      for (const [number, length] of before.entries()) this.kind(number).log.length = length;
      for (const { kind, id, object } of objects.reverse()) {
        if (object === undefined) this.kind(kind).objects.delete(id);
        else this.kind(kind).objects.set(id, object);
      }
      return outcome;
    }
    return "ok";
  }
}
