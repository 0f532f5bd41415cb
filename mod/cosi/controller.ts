import type { Access } from "./access.ts";
import type { Input, Output } from "./inputs.ts";

/** Something outside the state that wakes a controller, such as a netlink group. */
export interface WakeSource {
  /** Calls `wake` at each change until disposed. */
  subscribe(wake: () => void): Disposable;
}

type Inputs = readonly Input[];
type Outputs = readonly Output[];

/** A controller as it is declared. */
export interface ControllerDeclaration<I extends Inputs, O extends Outputs> {
  /** `domain.NameController`; the owner of everything it writes. */
  readonly name: string;
  readonly inputs: I;
  readonly outputs: O;
  /** Wakes from outside the state; subscribed while the runtime runs. */
  readonly wakeOn?: readonly WakeSource[];
  /**
   * Brings the world to what the inputs say: reads everything, trusts no remembered event. A throw is logged once and
   * tried again with backoff; a return resets the backoff.
   */
  reconcile(access: Access<I, O>): Promise<void>;
  /** Runs once when the runtime stops, after the last reconcile. */
  shutdown?(): Promise<void> | void;
}

/** A controller that the runtime can hold, whatever its inputs and outputs. */
export interface Controller {
  readonly name: string;
  readonly inputs: Inputs;
  readonly outputs: Outputs;
  readonly wakeOn: readonly WakeSource[];
  reconcile(access: Access): Promise<void>;
  shutdown?(): Promise<void> | void;
  /** How many input objects all runs together went through; only transforms count them. */
  inputItems?(): number;
}

/** Declares a controller; its inputs and outputs are literals, so that `access` can be narrowed to them. */
export function defineController<const I extends Inputs, const O extends Outputs>(
  declaration: ControllerDeclaration<I, O>,
): Controller {
  const { name, inputs, outputs, wakeOn = [], shutdown } = declaration;
  return {
    name,
    inputs,
    outputs,
    wakeOn,
    reconcile: (access) => declaration.reconcile(access as unknown as Access<I, O>),
    ...(shutdown === undefined ? {} : { shutdown: () => shutdown() }),
  };
}
