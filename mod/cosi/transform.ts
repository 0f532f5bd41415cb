import type { Access, QAccess, Wanted } from "./access.ts";
import { type Controller, defineController, type WakeSource } from "./controller.ts";
import type { AnyDefinition, ResourceDefinition } from "./definition.ts";
import { hold } from "./hold.ts";
import { destroyReady, exclusive, type Input, type Output, shared, strong, weak } from "./inputs.ts";
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

/** What its hooks may do: as in `map`, and read what the transform reads and makes. */
export type TransformHookAccess<From, To, I extends readonly Input[], O extends readonly Output[]> = TransformAccess<
  readonly [...I, Input<ResourceDefinition<From>>, Input<ResourceDefinition<To>>],
  O
>;

type TransformHook<From, To, I extends readonly Input[], O extends readonly Output[]> = (
  access: TransformHookAccess<From, To, I, O>,
) => Awaitable<void>;

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
   * Makes the controller hold its inputs, also those that nothing is made of: an input goes after its output went and
   * this returned. A throw keeps both and is tried again; after `SkipReconcile` only once something changes.
   */
  finalize?(resource: Resource<From>, access: TransformAccess<I, O>): Awaitable<void>;
  /** Runs before each pass over the inputs. A throw leaves out the pass and is tried again; see `SkipReconcile`. */
  preHook?(access: TransformHookAccess<From, To, I, O>): Awaitable<void>;
  /** Runs after each pass, when outputs are what they should be but for those that failed. A throw is tried again. */
  postHook?(access: TransformHookAccess<From, To, I, O>): Awaitable<void>;
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
  const controller = defineController({
    name,
    inputs: [source, ...endOf(to, [from, ...inputs]), ...inputs] as readonly Input[],
    outputs,
    wakeOn,
    reconcile: (access) => transform.reconcile(access as unknown as Access),
    shutdown: async () => await declaration.shutdown?.(),
  });
  return { ...controller, inputItems: () => transform.inputItems };
}

/** The input that tells of outputs that somebody ends (clause 4.3), unless all of the type is an input already. */
function endOf(
  to: AnyDefinition,
  inputs: readonly (Input | AnyDefinition)[],
): readonly Input[] {
  const isThere = inputs.some((input) =>
    "definition" in input
      ? input.definition.type === to.type && input.namespace === to.namespace && input.id === undefined
      : input.type === to.type && input.namespace === to.namespace
  );
  return isThere ? [] : [destroyReady(to)];
}

/** One pass over the inputs. */
interface Pass<From, To> {
  /** What inputs became. */
  readonly wanted: Wanted<To>[];
  /** Inputs whose end was handled. */
  readonly ended: Resource<From>[];
  /** Inputs of which it is not known now what they become. */
  readonly failed: string[];
  /** Ids of the outputs that inputs became, null for none. Inputs that are not in it were never mapped. */
  readonly outputs: Map<string, string | null>;
}

/** One controller's transform. */
class Transform<From, To, I extends readonly Input[], O extends readonly Output[]> {
  readonly #declaration: TransformDeclaration<From, To, I, O>;
  /** What inputs were known to have become after the last pass. */
  #outputs = new Map<string, string | null>();
  /** Inputs of all passes together. */
  inputItems = 0;

  constructor(declaration: TransformDeclaration<From, To, I, O>) {
    this.#declaration = declaration;
  }

  async reconcile(access: Access): Promise<void> {
    const { to, preHook, postHook } = this.#declaration;
    const errors: unknown[] = [];
    if (preHook === undefined || await this.#isOpen(preHook, access, errors)) {
      const pass = await this.#pass(access, errors);
      const kept = pass.failed.length === 0 ? [] : await this.#kept(pass, access);
      try {
        await access.sync(to, kept.length === 0 ? pass.wanted : [...pass.wanted, ...kept]);
      } catch (error) {
        note(errors, error);
        await this.#remember(pass, access);
      }
      if (pass.ended.length > 0) await this.#release(pass, access, errors);
      this.#outputs = pass.outputs;
      if (postHook !== undefined) await this.#isOpen(postHook, access, errors);
    }
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join("; "));
    if (errors.length === 1) throw errors[0];
  }

  /** Whether a hook lets the pass go on. */
  async #isOpen(hook: TransformHook<From, To, I, O>, access: Access, errors: unknown[]): Promise<boolean> {
    try {
      await hook.call(this.#declaration, access as unknown as TransformHookAccess<From, To, I, O>);
      return true;
    } catch (error) {
      note(errors, error);
      return false;
    }
  }

  async #pass(access: Access, errors: unknown[]): Promise<Pass<From, To>> {
    const { from, id, query } = this.#declaration;
    const found = id === undefined ? await access.list(from, query) : [await access.get(from, id)];
    const inputs = (found as readonly (Resource<From> | undefined)[]).filter((input) => input !== undefined);
    this.inputItems += inputs.length;
    const pass: Pass<From, To> = { wanted: [], ended: [], failed: [], outputs: new Map() };
    for (const input of inputs) {
      const { id } = input.metadata;
      const before = this.#outputs.get(id);
      try {
        await this.#take(input, pass, access);
      } catch (error) {
        note(errors, error);
        pass.failed.push(id);
      }
      if (before !== undefined && !pass.outputs.get(id)) pass.outputs.set(id, before);
    }
    return pass;
  }

  async #take(input: Resource<From>, pass: Pass<From, To>, access: Access): Promise<void> {
    const { from, map, finalize, ignoreTeardown = false, name } = this.#declaration;
    const { id, phase, finalizers } = input.metadata;
    const isHeld = finalizers.includes(name);
    if (phase === "tearingDown" && !ignoreTeardown) {
      if (finalize === undefined || !isHeld) return;
      await finalize.call(this.#declaration, input, narrow(access));
      pass.ended.push(input);
      return;
    }
    if (finalize !== undefined && !isHeld && !await hold(access, from, id)) return;
    const mapped = await map.call(this.#declaration, input, narrow(access));
    if (mapped !== undefined) pass.wanted.push({ ...mapped, id: mapped.id ?? id });
    pass.outputs.set(id, mapped === undefined ? null : mapped.id ?? id);
  }

  /** Keeps in mind whose outputs those are that could not be removed. */
  async #remember({ outputs }: Pass<From, To>, access: Access): Promise<void> {
    const there = new Set((await this.#own(access)).map(({ metadata }) => metadata.id));
    for (const [id, output] of this.#outputs) {
      if (output !== null && there.has(output) && !outputs.has(id)) outputs.set(id, output);
    }
  }

  /** What there is for inputs that cannot be mapped now; everything that may be, while it is not known what was made of them. */
  async #kept({ wanted, failed }: Pass<From, To>, access: Access): Promise<Wanted<To>[]> {
    const taken = new Set(wanted.map(({ id }) => id));
    const theirs = new Set(failed.map((id) => this.#outputs.get(id)));
    const isKnown = new Set(this.#outputs.values());
    const kept: Wanted<To>[] = [];
    for (const { metadata: { id, phase, labels, annotations }, spec } of await this.#own(access)) {
      const isTheirs = theirs.has(id) || theirs.has(undefined) && !isKnown.has(id);
      if (phase === "running" && isTheirs && !taken.has(id)) kept.push({ id, spec, labels, annotations });
    }
    return kept;
  }

  async #own(access: Access): Promise<readonly Resource<To>[]> {
    const { to, name } = this.#declaration;
    return (await access.list(to) as readonly Resource<To>[]).filter(({ metadata }) => metadata.owner === name);
  }

  /** Lets go of inputs whose outputs are gone; for the others the end of the output wakes the controller again. */
  async #release({ ended, wanted, outputs }: Pass<From, To>, access: Access, errors: unknown[]): Promise<void> {
    const left = new Set((await this.#own(access)).map(({ metadata }) => metadata.id));
    for (const { id } of wanted) left.delete(id);
    const isKnown = new Set(this.#outputs.values());
    // Of an input that this process never mapped, any output may be that nobody else is known to have become.
    const isAnyLeft = [...left].some((id) => !isKnown.has(id));
    for (const { metadata: { id } } of ended) {
      const output = this.#outputs.get(id);
      if (output === undefined ? isAnyLeft : output !== null && left.has(output)) continue;
      try {
        await access.removeFinalizer(this.#declaration.from as never, id);
        outputs.delete(id);
      } catch (error) {
        note(errors, error);
      }
    }
  }
}

/** Takes a failure in, unless it waits for something to change. */
function note(errors: unknown[], error: unknown): void {
  if (error instanceof AggregateError) errors.push(...error.errors);
  else if (!(error instanceof SkipReconcile)) errors.push(error);
}

function narrow<I extends readonly Input[], O extends readonly Output[]>(access: Access): TransformAccess<I, O> {
  return access as unknown as TransformAccess<I, O>;
}
