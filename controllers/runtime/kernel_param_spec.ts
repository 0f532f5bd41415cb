import { type Controller, defineController, exclusive, hold, strong } from "../../mod/cosi/mod.ts";
import { KernelParamDefaultSpecs } from "../../resources/runtime/kernel_param_default_spec.ts";
import { KernelParamSpecs } from "../../resources/runtime/kernel_param_spec.ts";
import { type KernelParamStatus, KernelParamStatuses } from "../../resources/runtime/kernel_param_status.ts";
import { sysctlPath, type Sysctls } from "./sysctl.ts";

const NAME = "runtime.KernelParamSpecController";

/** A wish for one parameter. */
interface Wish {
  readonly value: string;
  readonly ignoreErrors: boolean;
}

/**
 * Writes kernel parameters, the config's before the defaults. One that nobody wants any more gets back the value that
 * it had before the first write. A refusal concerns its own parameter only.
 */
export function kernelParamSpecController(sysctls: Sysctls): Controller {
  /** Values from before our first write. */
  const before = new Map<string, string>();
  return defineController({
    name: NAME,
    inputs: [strong(KernelParamDefaultSpecs), strong(KernelParamSpecs)],
    outputs: [exclusive(KernelParamStatuses)],
    async reconcile(r) {
      const wishes = new Map<string, Wish>();
      for (const definition of [KernelParamDefaultSpecs, KernelParamSpecs]) {
        for (const { metadata, spec } of await r.list(definition)) {
          const { id, phase, finalizers } = metadata;
          if (phase === "running" && (finalizers.includes(NAME) || await hold(r, definition, id))) wishes.set(id, spec);
        }
      }
      const problems: string[] = [], changed: string[] = [];
      const statuses: { id: string; spec: KernelParamStatus }[] = [];
      for (const [id, wish] of wishes) {
        try {
          statuses.push({ id, spec: apply(sysctls, before, id, wish, changed) });
        } catch (cause) {
          if (!wish.ignoreErrors) problems.push(`"${id}": ${messageOf(cause)}`);
        }
      }
      if (changed.length > 0) r.log(`set ${changed.join(", ")}`);
      for (const [id, value] of before) {
        if (wishes.has(id)) continue;
        before.delete(id);
        try {
          sysctls.write(sysctlPath(id), value);
          r.log(`put kernel parameter ${id} back to "${value}"`);
        } catch (cause) {
          // some go one way only until the next boot, others have gone with their link: nothing that a retry would change
          r.log(`kernel parameter ${id} stays as it is: ${messageOf(cause)}`);
        }
      }
      await r.sync(KernelParamStatuses, statuses);
      for (const definition of [KernelParamDefaultSpecs, KernelParamSpecs]) {
        for (const { metadata } of await r.list(definition)) {
          if (metadata.phase === "tearingDown") await r.removeFinalizer(definition, metadata.id);
        }
      }
      if (problems.length > 0) throw new Error(`Cannot set kernel parameters: ${problems.join("; ")}`);
    },
  });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Adds what it changes to `changed`. */
function apply(
  sysctls: Sysctls,
  before: Map<string, string>,
  id: string,
  wish: Wish,
  changed: string[],
): KernelParamStatus {
  const path = sysctlPath(id);
  const now = sysctls.read(path);
  if (now === undefined) {
    if (!wish.ignoreErrors) throw new Error("this kernel does not know it");
    return { current: "", default: "", unsupported: true };
  }
  if (!before.has(id)) before.set(id, now);
  if (!isSameValue(now, wish.value)) {
    sysctls.write(path, wish.value);
    changed.push(`${id}=${wish.value}`);
  }
  return { current: sysctls.read(path) ?? "", default: before.get(id) ?? "", unsupported: false };
}

/** The kernel shows several numbers with tabs between them. */
function isSameValue(a: string, b: string): boolean {
  return a.split(/\s+/).join(" ") === b.trim().split(/\s+/).join(" ");
}
