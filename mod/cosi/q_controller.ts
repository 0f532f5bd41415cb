import type { QAccess } from "./access.ts";
import type { Output, QInput } from "./inputs.ts";
import type { Phase, Pointer, TextMap } from "./metadata.ts";

type QInputs = readonly QInput[];
type Outputs = readonly Output[];
type Primary<I extends QInputs> = Extract<I[number], { readonly kind: "qPrimary" }>["definition"];

/** A type of a primary input; any text where the inputs are not known one by one. */
type PrimaryType<I extends QInputs> = [Primary<I>] extends [never] ? string : Primary<I>["type"];

/** The pointer of an object of a primary input. */
export type PrimaryPointer<I extends QInputs = QInputs> = Pointer & { readonly type: PrimaryType<I> };

/** What `mapInput` learns of a changed object: its last state, also of one that is gone (clause 3.10). */
export interface ReducedMetadata extends Pointer {
  readonly phase: Phase;
  readonly labels: TextMap;
  /** Nobody holds it. */
  readonly finalizersEmpty: boolean;
}

/** A queue controller as it is declared (cosi.md 3-B). */
export interface QControllerDeclaration<I extends QInputs, O extends Outputs> {
  /** `domain.NameController`; the owner of everything it writes. */
  readonly name: string;
  readonly inputs: I;
  readonly outputs: O;
  /** How many objects are worked on at once; 1 unless said. */
  readonly concurrency?: number;
  /**
   * Brings the world to what one primary object says; it may be gone. Never twice at once for one object. A throw is
   * tried again with a backoff of its own; see `RequeueError` and `SkipReconcile`.
   */
  reconcile(access: QAccess<I, O>, pointer: PrimaryPointer<I>): Promise<void>;
  /** The primary objects that a change of a mapped input concerns. Needed with mapped inputs. */
  mapInput?(access: QAccess<I, O>, item: ReducedMetadata): Awaitable<readonly PrimaryPointer<I>[]>;
  /** Runs beside the queue until it returns; restarted with backoff when it throws (clause 3.18). */
  runHook?(access: QAccess<I, O>): Promise<void>;
  /** Runs once after all work and the hook have ended. */
  shutdownHook?(): Awaitable<void>;
}

type Awaitable<T> = T | Promise<T>;

/** A queue controller that the runtime can hold, whatever its inputs and outputs. */
export interface QController {
  readonly name: string;
  readonly inputs: QInputs;
  readonly outputs: Outputs;
  readonly concurrency: number;
  reconcile(access: QAccess, pointer: Pointer): Promise<void>;
  mapInput(access: QAccess, item: ReducedMetadata): Promise<readonly Pointer[]>;
  runHook?(access: QAccess): Promise<void>;
  shutdownHook?(): Awaitable<void>;
}

/**
 * Declares a queue controller; its inputs and outputs are literals, so that `access` can be narrowed to them.
 * @throws {TypeError} for a concurrency below 1, or mapped inputs without `mapInput`.
 */
export function defineQController<const I extends QInputs, const O extends Outputs>(
  declaration: QControllerDeclaration<I, O>,
): QController {
  const { name, inputs, outputs, concurrency = 1, mapInput, runHook, shutdownHook } = declaration;
  if (!(Number.isInteger(concurrency) && concurrency >= 1)) {
    throw new TypeError(`Cannot define controller "${name}": its concurrency is ${concurrency}`);
  }
  if (mapInput === undefined && inputs.some(({ kind }) => kind.startsWith("qMapped"))) {
    throw new TypeError(`Cannot define controller "${name}": it has mapped inputs and no mapInput`);
  }
  const narrow = (access: QAccess) => access as unknown as QAccess<I, O>;
  return {
    ...{ name, inputs, outputs, concurrency },
    // The runner hands over pointers of primary inputs only.
    reconcile: (access, pointer) => declaration.reconcile(narrow(access), pointer as PrimaryPointer<I>),
    mapInput: async (access, item) => await declaration.mapInput?.(narrow(access), item) ?? [],
    ...(runHook === undefined ? {} : { runHook: (access) => runHook.call(declaration, narrow(access)) }),
    ...(shutdownHook === undefined ? {} : { shutdownHook: () => shutdownHook.call(declaration) }),
  };
}
