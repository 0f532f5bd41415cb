import type { Access, QAccess, Wanted } from "./access.ts";
import { type Controller, defineController, type WakeSource } from "./controller.ts";
import type { ResourceDefinition } from "./definition.ts";
import { exclusive, type Input, type Output, shared, strong, weak } from "./inputs.ts";
import type { Query } from "./query.ts";
import { SkipReconcile } from "./requeue.ts";
import type { Resource } from "./resource.ts";

/** The object that an input becomes. */
export interface Mapped<S> {
  /** The input's own id unless given. */
  readonly id?: string;
  readonly spec: S;
  readonly labels?: ReadonlyMap<string, string>;
  readonly annotations?: ReadonlyMap<string, string>;
}

/** Reads and writes what else a transform declared as its inputs and outputs. */
export type TransformAccess<I extends readonly Input[], O extends readonly Output[]> = Pick<
  QAccess<I, O>,
  "get" | "list" | "modify" | "teardown" | "destroy" | "log" | "signal"
>;

/** A controller that makes at most one object of type `to` of each object of type `from`. */
export interface TransformDeclaration<From, To, I extends readonly Input[], O extends readonly Output[]> {
  readonly name: string;
  readonly from: ResourceDefinition<From>;
  readonly to: ResourceDefinition<To>;
  /** Only this object of `from`. */
  readonly id?: string;
  /** Only these objects of `from`. */
  readonly query?: Query;
  /** What else wakes the controller and may be read by `map`. */
  readonly inputs?: I;
  /** Whether others write type `to` as well; `exclusive` unless said. */
  readonly output?: "exclusive" | "shared";
  /** What else `map` writes. */
  readonly outputs?: O;
  /** Wakes from outside the state. */
  readonly wakeOn?: readonly WakeSource[];
  /** Keeps the output of an input that is tearing down until that is gone; excludes `finalize`. */
  readonly ignoreTeardown?: boolean;
  /**
   * The object, or undefined for none. A throw leaves the object of this input as it is, and is tried again; after
   * `SkipReconcile` only once something changes.
   */
  map(resource: Resource<From>, access: TransformAccess<I, O>): Awaitable<Mapped<To> | undefined>;
  /**
   * Makes the controller hold its inputs: an input goes after its output went and this returned. A throw keeps both and
   * is tried again; after `SkipReconcile` only once something changes.
   */
  finalize?(resource: Resource<From>, access: TransformAccess<I, O>): Awaitable<void>;
  /** Runs once when the runtime stops. */
  shutdown?(): Awaitable<void>;
}

type Awaitable<T> = T | Promise<T>;

/**
 * The controller of a 1:1 transform (cosi.md 4-A); both types in their default namespaces.
 * @throws {TypeError} when `finalize` and `ignoreTeardown` are both given.
 */
export function defineTransform<
  From,
  To,
  const I extends readonly Input[] = readonly [],
  const O extends readonly Output[] = readonly [],
>(declaration: TransformDeclaration<From, To, I, O>): Controller {
  const { name, from, to, id, inputs = [], output = "exclusive", finalize, ignoreTeardown, wakeOn = [] } = declaration;
  if (ignoreTeardown && finalize !== undefined) {
    throw new TypeError(`Cannot define controller "${name}": it ignores the end of its inputs and handles it`);
  }
  const place = id === undefined ? {} : { id };
  const source = finalize === undefined ? weak(from, place) : strong(from, place);
  const outputs: readonly Output[] = [
    output === "exclusive" ? exclusive(to) : shared(to),
    ...(declaration.outputs ?? []),
  ];
  const transform = new Transform(declaration);
  return defineController({
    name,
    inputs: [source, ...inputs],
    outputs,
    wakeOn,
    reconcile: (access) => transform.reconcile(access as unknown as Access),
    shutdown: async () => await declaration.shutdown?.(),
  });
}

/** One controller's transform. */
class Transform<From, To, I extends readonly Input[], O extends readonly Output[]> {
  readonly #declaration: TransformDeclaration<From, To, I, O>;
  /** Ids of the outputs that inputs last became, for the time that `map` fails. */
  #outputs = new Map<string, string>();

  constructor(declaration: TransformDeclaration<From, To, I, O>) {
    this.#declaration = declaration;
  }

  async reconcile(access: Access): Promise<void> {
    const { from, to, id, query, finalize, ignoreTeardown = false } = this.#declaration;
    const inputs = id === undefined ? await access.list(from, query) : [await access.get(from, id)];
    const wanted: Wanted<To>[] = [];
    const errors: unknown[] = [];
    const released: Resource<From>[] = [];
    const outputs = new Map<string, string>();
    for (const input of inputs as readonly (Resource<From> | undefined)[]) {
      if (input === undefined) continue;
      try {
        if (input.metadata.phase === "tearingDown" && !ignoreTeardown) {
          if (await this.#isReleasable(input, access)) released.push(input);
          continue;
        }
        const mapped = await this.#mapped(input, access);
        if (mapped === undefined) continue;
        wanted.push(mapped);
        outputs.set(input.metadata.id, mapped.id);
      } catch (error) {
        if (!(error instanceof SkipReconcile)) errors.push(error);
        const kept = await this.#kept(input.metadata.id, access);
        if (kept === undefined) continue;
        wanted.push(kept);
        outputs.set(input.metadata.id, kept.id);
      }
    }
    const before = this.#outputs;
    this.#outputs = outputs;
    await access.sync(to, wanted);
    if (finalize !== undefined) await this.#release(released, before, access);
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join("; "));
    if (errors.length === 1) throw errors[0];
  }

  async #mapped(input: Resource<From>, access: Access): Promise<Wanted<To> | undefined> {
    const { from, map, finalize, name } = this.#declaration;
    const { metadata } = input;
    const mapped = await map.call(this.#declaration, input, access as unknown as TransformAccess<I, O>);
    if (mapped === undefined) return undefined;
    if (finalize !== undefined && !metadata.finalizers.includes(name)) {
      await access.addFinalizer(from as never, metadata.id);
    }
    return { ...mapped, id: mapped.id ?? metadata.id };
  }

  async #isReleasable(input: Resource<From>, access: Access): Promise<boolean> {
    const { finalize, name } = this.#declaration;
    if (finalize === undefined || !input.metadata.finalizers.includes(name)) return false;
    await finalize.call(this.#declaration, input, access as unknown as TransformAccess<I, O>);
    return true;
  }

  /** What there is for an input that cannot be mapped now. */
  async #kept(inputId: string, access: Access): Promise<Wanted<To> | undefined> {
    const { to, name } = this.#declaration;
    const output = await access.get(to, this.#outputs.get(inputId) ?? inputId) as Resource<To> | undefined;
    if (output === undefined || output.metadata.owner !== name || output.metadata.phase !== "running") return undefined;
    const { metadata: { id, labels, annotations }, spec } = output;
    return { id, spec, labels, annotations };
  }

  /** Lets go of inputs whose outputs are gone; for the others the end of the output wakes the controller again. */
  async #release(inputs: readonly Resource<From>[], before: Map<string, string>, access: Access): Promise<void> {
    const { from, to, name } = this.#declaration;
    for (const { metadata: { id } } of inputs) {
      const outputId = before.get(id) ?? id;
      const output = await access.get(to, outputId);
      if (output === undefined || output.metadata.owner !== name) await access.removeFinalizer(from as never, id);
      else this.#outputs.set(id, outputId);
    }
  }
}
