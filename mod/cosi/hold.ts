import type { AnyDefinition } from "./definition.ts";
import { NotFoundError } from "./errors.ts";

/** Takes hold of an input; false when it is gone since it was read, of which the controller is going to hear. */
export async function hold(
  access: { addFinalizer(definition: never, id: string): Promise<void> },
  definition: AnyDefinition,
  id: string,
): Promise<boolean> {
  try {
    await access.addFinalizer(definition as never, id);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
