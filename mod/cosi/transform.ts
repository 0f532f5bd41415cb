import type { Access, Wanted } from "./access.ts";
import { type Controller, defineController } from "./controller.ts";
import type { ResourceDefinition } from "./definition.ts";
import { exclusive, type Input, type Output, shared, strong, weak } from "./inputs.ts";
import type { Resource } from "./resource.ts";

/** The object that an input becomes. */
export interface Mapped<S> {
  /** The input's own id unless given. */
  readonly id?: string;
  readonly spec: S;
  readonly labels?: ReadonlyMap<string, string>;
  readonly annotations?: ReadonlyMap<string, string>;
}

/** Reads what else a transform declared as its inputs. */
export type TransformReader<I extends readonly Input[]> = Pick<Access<I, readonly []>, "get" | "list" | "signal">;

/** A controller that makes at most one object of type `to` of each object of type `from`. */
export interface TransformDeclaration<From, To, I extends readonly Input[]> {
  readonly name: string;
  readonly from: ResourceDefinition<From>;
  readonly to: ResourceDefinition<To>;
  /** Only this object of `from`. */
  readonly id?: string;
  /** What else wakes the controller and may be read by `map`. */
  readonly inputs?: I;
  /** Whether others write type `to` as well; `exclusive` unless said. */
  readonly output?: "exclusive" | "shared";
  /** The object, or undefined for none. A throw leaves the object of this input as it is, and is tried again. */
  map(resource: Resource<From>, reader: TransformReader<I>): Awaitable<Mapped<To> | undefined>;
  /**
   * Makes the controller hold its inputs: an input goes after its output went and this returned. A throw keeps both and
   * is tried again.
   */
  finalize?(resource: Resource<From>): Awaitable<void>;
}

type Awaitable<T> = T | Promise<T>;

/** The controller of a 1:1 transform (cosi.md 4-A); both types in their default namespaces. */
export function defineTransform<From, To, const I extends readonly Input[] = readonly []>(
  declaration: TransformDeclaration<From, To, I>,
): Controller {
  const { name, from, to, id, inputs = [], output = "exclusive", finalize } = declaration;
  const place = id === undefined ? {} : { id };
  const source = finalize === undefined ? weak(from, place) : strong(from, place);
  const outputs: readonly Output[] = [output === "exclusive" ? exclusive(to) : shared(to)];
  const transform = new Transform(declaration);
  return defineController({
    name,
    inputs: [source, ...inputs],
    outputs,
    reconcile: (access) => transform.reconcile(access as unknown as Access),
  });
}

/** One controller's transform. */
class Transform<From, To, I extends readonly Input[]> {
  readonly #declaration: TransformDeclaration<From, To, I>;
  /** Ids of the outputs that inputs last became, for the time that `map` fails. */
  #outputs = new Map<string, string>();

  constructor(declaration: TransformDeclaration<From, To, I>) {
    this.#declaration = declaration;
  }

  async reconcile(access: Access): Promise<void> {
    const { from, to, id, finalize } = this.#declaration;
    const inputs = id === undefined ? await access.list(from) : [await access.get(from, id)];
    const wanted: Wanted<To>[] = [];
    const errors: unknown[] = [];
    const released: Resource<From>[] = [];
    const outputs = new Map<string, string>();
    for (const input of inputs as readonly (Resource<From> | undefined)[]) {
      if (input === undefined) continue;
      try {
        if (input.metadata.phase === "tearingDown") {
          if (await this.#isReleasable(input)) released.push(input);
          continue;
        }
        const mapped = await this.#mapped(input, access);
        if (mapped === undefined) continue;
        wanted.push(mapped);
        outputs.set(input.metadata.id, mapped.id);
      } catch (error) {
        errors.push(error);
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
    const mapped = await map.call(this.#declaration, input, access as unknown as TransformReader<I>);
    if (mapped === undefined) return undefined;
    if (finalize !== undefined && !metadata.finalizers.includes(name)) {
      await access.addFinalizer(from as never, metadata.id);
    }
    return { ...mapped, id: mapped.id ?? metadata.id };
  }

  async #isReleasable(input: Resource<From>): Promise<boolean> {
    const { finalize, name } = this.#declaration;
    if (finalize === undefined || !input.metadata.finalizers.includes(name)) return false;
    await finalize.call(this.#declaration, input);
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
