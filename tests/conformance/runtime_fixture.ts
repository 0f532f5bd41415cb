import { ok, strictEqual } from "node:assert/strict";
import {
  type Access,
  type AnyDefinition,
  type Controller,
  type ControllerStatus,
  defineController,
  defineResource,
  exclusive,
  type Input,
  type Kind,
  newResource,
  type Output,
  type Pointer,
  type QController,
  type Resource,
  type ResourceDefinition,
  Runtime,
  type RuntimeOptions,
  type State,
  updateWithConflicts,
  watchFor,
  weak,
  withSpec,
} from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";

/** One row of the suite: what it shows, the clauses of cosi.md it covers, and how. Each gets a fresh state. */
export interface RuntimeTest {
  readonly name: string;
  readonly clauses: readonly string[];
  /** Only in the plain mode: it sets its own up. */
  readonly plainOnly?: boolean;
  run(bed: RuntimeBed): Promise<void>;
}

export interface Int {
  readonly value: number;
}
export interface Str {
  readonly text: string;
}
const int = { value: field.int32(1) };
const str = { text: field.string(1) };
const namespace = "default";
export const Ints = defineResource<Int>()({ type: "Ints.conformance.dev", namespace, fields: int });
export const Strs = defineResource<Str>()({ type: "Strs.conformance.dev", namespace, fields: str });
export const Sentences = defineResource<Str>()({ type: "Sentences.conformance.dev", namespace, fields: str });
export const Sums = defineResource<Int>()({ type: "Sums.conformance.dev", namespace, fields: int });

/** The suite's types; an implementation that decodes has to know them. */
export const RUNTIME_DEFINITIONS: readonly AnyDefinition[] = [Ints, Strs, Sentences, Sums];

export const at = ({ type, namespace }: AnyDefinition, id: string, place = namespace): Pointer => ({
  namespace: place,
  type,
  id,
});

/** The state of a row, and runtimes on it that end with the row. */
export class RuntimeBed implements AsyncDisposable {
  readonly state: State;
  readonly lines: string[] = [];
  readonly #options: RuntimeOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(state: State, options: RuntimeOptions) {
    this.state = state;
    this.#options = options;
  }

  /** A runtime that runs with these controllers. */
  start(controllers: readonly (Controller | QController)[], options: RuntimeOptions = {}): Runtime {
    const runtime = new Runtime(this.state, {
      log: (name, level, message) => void this.lines.push(`${name} ${level} ${message}`),
      backoff: { firstMs: 2, maxMs: 20 },
      ...this.#options,
      ...options,
    });
    for (const controller of controllers) runtime.register(controller);
    this.#running = runtime.run(this.#stop.signal);
    return runtime;
  }

  /** Ends the runtime. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async create<S>(definition: ResourceDefinition<S>, id: string, spec: S, fields: object = {}): Promise<void> {
    await this.state.create(newResource(definition, id, spec, fields));
  }

  async set<S>(definition: ResourceDefinition<S>, id: string, spec: S): Promise<void> {
    await updateWithConflicts(
      this.state,
      at(definition as AnyDefinition, id),
      (now) => withSpec(now as Resource<S>, spec),
      {
        expectedPhase: "any",
      },
    );
  }

  /** Waits until the object is there, running, with a spec that meets the condition. */
  async seen<S>(
    definition: ResourceDefinition<S>,
    id: string,
    test: (spec: S) => boolean,
    place?: string,
  ): Promise<Resource<S>> {
    return await watchFor(this.state, at(definition as AnyDefinition, id, place), {
      types: ["created", "updated"],
      phases: ["running"],
      condition: ({ spec }) => test(spec as S),
    }) as Resource<S>;
  }

  async int(definition: ResourceDefinition<Int>, id: string, value: number, place?: string): Promise<void> {
    strictEqual((await this.seen(definition, id, (spec) => spec.value === value, place)).spec.value, value);
  }

  async text(definition: ResourceDefinition<Str>, id: string, text: string): Promise<void> {
    strictEqual((await this.seen(definition, id, (spec) => spec.text === text)).spec.text, text);
  }

  async gone(definition: AnyDefinition, id: string, place?: string): Promise<void> {
    await watchFor(this.state, at(definition, id, place), { types: ["destroyed"] });
  }

  async phase(definition: AnyDefinition, id: string): Promise<void> {
    await watchFor(this.state, at(definition, id), { phases: ["tearingDown"] });
  }

  async unheld(definition: AnyDefinition, id: string): Promise<void> {
    await watchFor(this.state, at(definition, id), { finalizersEmpty: true });
  }

  async ids(kind: Kind): Promise<string[]> {
    return (await this.state.list(kind)).map(({ metadata }) => metadata.id);
  }
}

/** Lets others run until the condition holds; fails after five seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 5000;
  while (!condition()) {
    ok(performance.now() < end, `it never came true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Waits until a controller has run and does nothing; answers how it fares. */
export async function idle(runtime: Runtime, name?: string): Promise<ControllerStatus> {
  const find = () => runtime.status().find((status) => name === undefined || status.name === name);
  await until(() => find()?.state === "idle" && find()?.runs !== 0);
  return find() as ControllerStatus;
}

/** A controller of the suite whose access is not narrowed. */
export function loop(
  name: string,
  inputs: readonly Input[],
  outputs: readonly Output[],
  reconcile: (access: Access) => Promise<void>,
): Controller {
  return defineController({ name, inputs, outputs, reconcile: (access) => reconcile(access as unknown as Access) });
}

/** Adds all ints of a namespace, with a label query or without. */
export function summer(name: string, from: string, output: Output, id: string, query: object = {}): Controller {
  return loop(name, [weak(Ints, { namespace: from })], [output], async (r) => {
    const ints = await r.list(Ints, { namespace: from, ...query }) as readonly Resource<Int>[];
    await r.modify(output.definition, id, { value: ints.reduce((sum, { spec }) => sum + spec.value, 0) } as never);
  });
}

/** Makes the text of each int; holds its inputs. */
export function intToStr(name = "test.IntToStrController"): Controller {
  return defineController({
    name,
    inputs: [{ ...weak(Ints), kind: "strong" }, { ...weak(Strs), kind: "destroyReady" }],
    outputs: [exclusive(Strs)],
    async reconcile(r) {
      for (const { metadata: { id, phase, finalizers }, spec } of await r.list(Ints)) {
        if (phase === "running") {
          await r.addFinalizer(Ints, id);
          await r.modify(Strs, id, { text: String(spec.value) });
        } else if (finalizers.includes(name)) {
          if (!await r.teardown(Strs, id)) continue;
          await r.destroy(Strs, id);
          await r.removeFinalizer(Ints, id);
        }
      }
    },
  });
}
