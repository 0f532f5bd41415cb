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
  const known = new Map<string, Known>();
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
          statuses.push({ id, spec: apply(sysctls, known, id, wish, changed) });
        } catch (cause) {
          if (!wish.ignoreErrors) problems.push(`"${id}": ${messageOf(cause)}`);
        }
      }
      if (changed.length > 0) r.log(`set ${changed.join(", ")}`);
      for (const [id, { before }] of known) {
        if (wishes.has(id)) continue;
        known.delete(id);
        try {
          sysctls.write(sysctlPath(id), before);
          r.log(`put kernel parameter ${id} back to "${before}"`);
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

/** A parameter that was written. */
interface Known {
  /** Its value before the first write. */
  readonly before: string;
  /** The last value that was wished, and what the kernel made of it: `50000,50001` reads `50000-50001`. */
  readonly wished: string;
  readonly shown: string;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Adds what it changes to `changed`. */
function apply(
  sysctls: Sysctls,
  known: Map<string, Known>,
  id: string,
  { value, ignoreErrors }: Wish,
  changed: string[],
): KernelParamStatus {
  const path = sysctlPath(id);
  const now = sysctls.read(path);
  if (now === undefined) {
    if (!ignoreErrors) throw new Error("this kernel does not know it");
    return { current: "", default: "", unsupported: true };
  }
  const { before, wished, shown } = known.get(id) ?? { before: now, wished: "", shown: "" };
  let current = now;
  if (!isSameValue(now, value) && !(wished === value && shown === now)) {
    known.set(id, { before, wished: "", shown: "" });
    sysctls.write(path, value);
    current = sysctls.read(path) ?? "";
    changed.push(`${id}=${value}`);
  }
  known.set(id, { before, wished: value, shown: current });
  return { current, default: before, unsupported: false };
}

/** The kernel shows several numbers with tabs between them. */
function isSameValue(a: string, b: string): boolean {
  return a.split(/\s+/).join(" ") === b.trim().split(/\s+/).join(" ");
}
