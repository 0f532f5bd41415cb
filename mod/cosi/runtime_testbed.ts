import { field } from "../schema/mod.ts";
import {
  type Controller,
  defineController,
  defineResource,
  exclusive,
  type QController,
  type Resource,
  Runtime,
  type RuntimeOptions,
  type State,
  updateWithConflicts,
  watchFor,
  weak,
  withSpec,
} from "./mod.ts";

/** Controllers and helpers that the runtime's tests share. */
export interface Int {
  value: number;
}
const fields = { value: field.int32(1) };
export const Ints = defineResource<Int>()({ type: "Ints.test.dev", namespace: "test", fields });
export const Doubles = defineResource<Int>()({ type: "Doubles.test.dev", namespace: "test", fields });
export const Sums = defineResource<Int>()({ type: "Sums.test.dev", namespace: "test", fields });
/** Place of an object of a test type. */
export const at = (type: string, id: string) => ({ namespace: "test", type, id });

/** A runtime that runs until it is disposed; `lines` is its log. */
export class Running implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly runtime: Runtime;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  constructor(state: State, controllers: readonly (Controller | QController)[], options: RuntimeOptions = {}) {
    this.runtime = new Runtime(state, {
      log: (name, level, message) => void this.lines.push(`${name} ${level} ${message}`),
      backoff: { firstMs: 1, maxMs: 5 },
      ...options,
    });
    for (const controller of controllers) this.runtime.register(controller);
    this.#ended = this.runtime.run(this.#stop.signal);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

/** The next state of the object that meets the condition. */
export function seen(state: State, type: string, id: string, condition: (spec: Int) => boolean = () => true) {
  return watchFor(state, at(type, id), {
    types: ["created", "updated"],
    condition: (resource: Resource) => condition(resource.spec as Int),
  });
}
export const gone = (state: State, type: string, id: string) => watchFor(state, at(type, id), { types: ["destroyed"] });

export function set(state: State, id: string, value: number): Promise<Resource> {
  return updateWithConflicts(state, at(Ints.type, id), (current) => withSpec(current, { value }));
}

export const doubler = () =>
  defineController({
    name: "test.DoublerController",
    inputs: [weak(Ints)],
    outputs: [exclusive(Doubles)],
    async reconcile(r) {
      const ints = await r.list(Ints);
      await r.sync(Doubles, ints.map(({ metadata: { id }, spec }) => ({ id, spec: { value: spec.value * 2 } })));
    },
  });

export const summer = () =>
  defineController({
    name: "test.SumController",
    inputs: [weak(Doubles)],
    outputs: [exclusive(Sums)],
    async reconcile(r) {
      const doubles = await r.list(Doubles);
      await r.modify(Sums, "sum", { value: doubles.reduce((sum, { spec }) => sum + spec.value, 0) });
    },
  });
