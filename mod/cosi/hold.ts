import type { QAccess } from "./access.ts";
import type { AnyDefinition } from "./definition.ts";
import { NotFoundError } from "./errors.ts";

/** Takes hold of an input; false when it is gone since it was read, of which the controller is going to hear. */
export async function hold(access: QAccess, definition: AnyDefinition, id: string): Promise<boolean> {
  try {
    await access.addFinalizer(definition as never, id);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
