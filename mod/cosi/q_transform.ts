import type { QAccess } from "./access.ts";
import type { AnyDefinition, ResourceDefinition } from "./definition.ts";
import { exclusive, type Output, type QInput, qMappedDestroyReady, qPrimary, shared } from "./inputs.ts";
import { hold } from "./hold.ts";
import { defineQController, type QController, type ReducedMetadata } from "./q_controller.ts";
import { RequeueError } from "./requeue.ts";
import type { Resource } from "./resource.ts";

/** The object that an input becomes. */
export interface QMapped<S> {
  readonly spec: S;
  readonly labels?: ReadonlyMap<string, string>;
  readonly annotations?: ReadonlyMap<string, string>;
  /** Written, and mapped again after this time (clause 4.17). */
  readonly requeueAfterMs?: number;
}

type Awaitable<T> = T | Promise<T>;
type Access<I extends readonly QInput[], O extends readonly Output[]> = Omit<
  QAccess<I, O>,
  "addFinalizer" | "removeFinalizer"
>;

/** A queue controller that makes at most one object of type `to` of each object of type `from` (cosi.md 4-B). */
export interface QTransformDeclaration<From, To, I extends readonly QInput[], O extends readonly Output[]> {
  readonly name: string;
  readonly from: ResourceDefinition<From>;
  readonly to: ResourceDefinition<To>;
  /** What else `map` reads, as mapped inputs; see `mapInput`. */
  readonly inputs?: I;
  /** Whether others write type `to` as well; `exclusive` unless said. */
  readonly output?: "exclusive" | "shared";
  /** What else `map` writes. */
  readonly outputs?: O;
  readonly concurrency?: number;
  /** The id of an input's output, which must not change; the same unless given. Undefined: the input is ignored. */
  outputId?(input: Resource<From>): string | undefined;
  /** The id of the input of an output; needed with `outputId`. Undefined: it is of no concern. */
  inputId?(outputId: string): string | undefined;
  /** The ids of `from` that a change of a mapped input concerns; the same id unless given. */
  mapInput?(item: ReducedMetadata, access: Access<I, O>): Awaitable<readonly string[]>;
  /**
   * The object, or undefined for none, which ends the one there is. A throw leaves it as it is, and is tried again;
   * see `RequeueError` and `SkipReconcile`.
   */
  map(input: Resource<From>, access: Access<I, O>): Awaitable<QMapped<To> | undefined>;
  /** Handles the end of an input before its output goes. A throw keeps both and is tried again. */
  finalize?(input: Resource<From>, access: Access<I, O>): Awaitable<void>;
  /**
   * An input that is tearing down is mapped as before until nobody holds it but this controller and those named; with
   * nobody named this controller is the last (clause 4.19).
   */
  readonly ignoreTeardownUntil?: readonly string[];
  /** An input that is tearing down is mapped as before while any of those named holds it. */
  readonly ignoreTeardownWhile?: readonly string[];
}

/** Maps a changed object to the one id that a label of it names; to none without the label. */
export function mapLabelValue(label: string): (item: ReducedMetadata) => readonly string[] {
  return ({ labels }) => {
    const id = labels.get(label);
    return id === undefined ? [] : [id];
  };
}

/**
 * The controller of a queued 1:1 transform; both types in their default namespaces. It always holds its inputs. A
 * conflict with another writer of the output is a failure like others, and tried again (clause 9.9).
 * @throws {TypeError} when `outputId` comes without `inputId`.
 */
export function defineQTransform<
  From,
  To,
  const I extends readonly QInput[] = readonly [],
  const O extends readonly Output[] = readonly [],
>(declaration: QTransformDeclaration<From, To, I, O>): QController {
  const { name, from, to, inputs = [], output = "exclusive", outputs = [], concurrency = 1 } = declaration;
  if (declaration.outputId !== undefined && declaration.inputId === undefined) {
    throw new TypeError(`Cannot define controller "${name}": it has outputId and no inputId`);
  }
  const { namespace, type } = from;
  const transform = new QTransform(declaration);
  const isSame = type === to.type && namespace === to.namespace;
  const own: readonly QInput[] = [qPrimary(from), ...(isSame ? [] : [qMappedDestroyReady(to)]), ...inputs];
  return defineQController({
    name,
    inputs: own,
    outputs: [output === "exclusive" ? exclusive(to) : shared(to), ...outputs] as readonly Output[],
    concurrency,
    reconcile: (access, { id }) => transform.reconcile(access as unknown as QAccess, id),
    async mapInput(access, item) {
      const ids = await transform.inputIds(item, access as unknown as QAccess);
      return ids.map((id) => ({ namespace, type, id }));
    },
  });
}

/** One controller's transform. */
class QTransform<From, To, I extends readonly QInput[], O extends readonly Output[]> {
  readonly #declaration: QTransformDeclaration<From, To, I, O>;
  // The access takes any definition at run time; its rules are those of the declaration.
  readonly #from: never;
  readonly #to: AnyDefinition;

  constructor(declaration: QTransformDeclaration<From, To, I, O>) {
    this.#declaration = declaration;
    this.#from = declaration.from as never;
    this.#to = declaration.to;
  }

  async inputIds(item: ReducedMetadata, access: QAccess): Promise<readonly string[]> {
    const { to, inputId = (id: string) => id, mapInput } = this.#declaration;
    if (item.type === to.type && item.namespace === to.namespace) {
      const id = inputId.call(this.#declaration, item.id);
      return id === undefined ? [] : [id];
    }
    return await mapInput?.call(this.#declaration, item, narrow(access)) ?? [item.id];
  }

  async reconcile(access: QAccess, id: string): Promise<void> {
    const { from, outputId = ({ metadata }: Resource<From>) => metadata.id } = this.#declaration;
    const input = await access.get(from, id) as Resource<From> | undefined;
    if (input === undefined) return;
    const target = outputId.call(this.#declaration, input);
    if (target === undefined) return;
    if (input.metadata.phase === "running" || this.#isIgnored(input)) await this.#run(access, input, target);
    else await this.#end(access, input, target);
  }

  #isIgnored({ metadata: { finalizers } }: Resource): boolean {
    const { name, ignoreTeardownUntil: until, ignoreTeardownWhile: during } = this.#declaration;
    return until !== undefined && finalizers.some((holder) => holder !== name && !until.includes(holder)) ||
      during !== undefined && finalizers.some((holder) => during.includes(holder));
  }

  async #run(access: QAccess, input: Resource<From>, outputId: string): Promise<void> {
    const { name, map } = this.#declaration;
    const { phase, finalizers, id } = input.metadata;
    if (!finalizers.includes(name)) {
      // Of an input that is going and not held, nobody would see to the end of what is made now.
      if (phase !== "running" || !await hold(access, this.#from, id)) return;
    }
    const output = await access.get(this.#to, outputId);
    if (output?.metadata.phase === "tearingDown" && output.metadata.owner === name) {
      if (!await this.#remove(access, outputId)) return;
    }
    const mapped = await map.call(this.#declaration, input, narrow(access));
    if (mapped === undefined) {
      await this.#remove(access, outputId);
      return;
    }
    const { spec, labels, annotations, requeueAfterMs } = mapped;
    await access.modify(this.#to, outputId, spec as never, {
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    });
    if (requeueAfterMs !== undefined) throw new RequeueError(requeueAfterMs);
  }

  async #end(access: QAccess, input: Resource<From>, outputId: string): Promise<void> {
    const { name, finalize } = this.#declaration;
    const { finalizers, id } = input.metadata;
    if (!finalizers.includes(name)) return;
    await finalize?.call(this.#declaration, input, narrow(access));
    if (await this.#remove(access, outputId)) await access.removeFinalizer(this.#from, id);
  }

  /** Whether the own output is gone; when others still hold it, their letting go queues the input again. */
  async #remove(access: QAccess, outputId: string): Promise<boolean> {
    const output = await access.get(this.#to, outputId);
    if (output === undefined || output.metadata.owner !== this.#declaration.name) return true;
    if (!await access.teardown(this.#to, outputId)) return false;
    await access.destroy(this.#to, outputId);
    return true;
  }
}

function narrow<I extends readonly QInput[], O extends readonly Output[]>(access: QAccess): Access<I, O> {
  return access as unknown as Access<I, O>;
}
