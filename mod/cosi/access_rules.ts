import type { AnyInput, Output } from "./inputs.ts";
import { AccessError } from "./errors.ts";
import { type Kind, type Pointer, pointerText } from "./metadata.ts";

const HOLDABLE: ReadonlySet<AnyInput["kind"]> = new Set(["strong", "qPrimary", "qMapped"]);

/** What one controller declared, as questions (cosi.md 3-D). */
export class AccessRules {
  readonly #controller: string;
  readonly #outputs: ReadonlySet<string>;
  readonly #inputs = new Map<string, AnyInput[]>();

  constructor(controller: string, inputs: readonly AnyInput[], outputs: readonly Output[]) {
    this.#controller = controller;
    this.#outputs = new Set(outputs.map(({ definition }) => definition.type));
    for (const input of inputs) {
      const { type } = input.definition;
      const others = this.#inputs.get(type);
      if (others === undefined) this.#inputs.set(type, [input]);
      else others.push(input);
    }
  }

  #covers(kind: Kind, id: string | undefined): AnyInput | undefined {
    return this.#inputs.get(kind.type)?.find((input) =>
      input.namespace === kind.namespace && (input.id === undefined || input.id === id)
    );
  }

  /** @throws {AccessError} unless it is an output or an input. */
  checkRead(pointer: Pointer): void {
    if (!this.#outputs.has(pointer.type) && this.#covers(pointer, pointer.id) === undefined) {
      throw new AccessError(
        `Cannot read ${pointerText(pointer)}: it is neither an input nor an output of controller "${this.#controller}"`,
      );
    }
  }

  /** @throws {AccessError} unless the type is an output, or an input without an id. */
  checkList(kind: Kind): void {
    if (!this.#outputs.has(kind.type) && this.#covers(kind, undefined) === undefined) {
      throw new AccessError(
        `Cannot list ${kind.type} in namespace "${kind.namespace}": ` +
          `it is neither an input nor an output of controller "${this.#controller}"`,
      );
    }
  }

  /** @throws {AccessError} unless the type is an output. */
  checkWrite(kind: Kind): void {
    if (!this.#outputs.has(kind.type)) {
      throw new AccessError(
        `Cannot write ${kind.type} in namespace "${kind.namespace}": ` +
          `it is not an output of controller "${this.#controller}"`,
      );
    }
  }

  /** @throws {AccessError} unless it is an input that may be held. */
  checkHold(pointer: Pointer): void {
    const strong = this.#inputs.get(pointer.type)?.some((input) =>
      HOLDABLE.has(input.kind) && input.namespace === pointer.namespace &&
      (input.id === undefined || input.id === pointer.id)
    );
    if (!strong) {
      throw new AccessError(
        `Cannot change finalizers of ${pointerText(pointer)}: ` +
          `it is not an input of that kind of controller "${this.#controller}"`,
      );
    }
  }
}
