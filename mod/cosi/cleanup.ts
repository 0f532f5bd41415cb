import type { Access } from "./access.ts";
import { type Controller, defineController } from "./controller.ts";
import type { AnyDefinition, ResourceDefinition } from "./definition.ts";
import { destroyReady, type Input, type Output, qPrimary, shared, strong, weak } from "./inputs.ts";
import { hold } from "./hold.ts";
import { defineQController, type QController } from "./q_controller.ts";
import type { Query } from "./query.ts";
import { SkipReconcile } from "./requeue.ts";
import type { Resource } from "./resource.ts";

/** What has to be done before an object may go. */
export interface CleanupHandler<S = unknown> {
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  /** Returns once it is done; throws `SkipReconcile` to wait until something changes. */
  finalize(input: Resource<S>, access: Access): Promise<void>;
}

/** A controller that holds all objects of a type until a handler has cleaned up after them (cosi.md 4-C). */
export interface CleanupDeclaration<S> {
  readonly name: string;
  readonly from: ResourceDefinition<S>;
  readonly handler: CleanupHandler<NoInfer<S>>;
}

/** The controller of a clean-up; the type in its default namespace. */
export function defineCleanup<S>({ name, from, handler }: CleanupDeclaration<S>): Controller {
  return defineController({
    name,
    inputs: [strong(from), ...handler.inputs] as readonly Input[],
    outputs: handler.outputs,
    async reconcile(narrowed) {
      const access = narrowed as unknown as Access;
      const errors: unknown[] = [];
      for (const input of await access.list(from) as readonly Resource<S>[]) {
        const { id, phase, finalizers } = input.metadata;
        const isHeld = finalizers.includes(name);
        try {
          if (phase === "running" && !isHeld) await hold(access, from, id);
          if (phase === "running" || !isHeld) continue;
          await handler.finalize(input, access);
          await access.removeFinalizer(from as never, id);
        } catch (error) {
          if (!(error instanceof SkipReconcile)) errors.push(error);
        }
      }
      if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join("; "));
      if (errors.length === 1) throw errors[0];
    },
  });
}

/** Waits until there are no objects of a type, in its default namespace, that the query of an object finds. */
export function hasNoOutputs<S>(
  definition: AnyDefinition,
  queryOf: (input: Resource<S>) => Query,
): CleanupHandler<S> {
  return {
    inputs: [weak(definition)],
    outputs: [],
    async finalize(input, access) {
      const [first] = await access.list(definition, queryOf(input));
      if (first !== undefined) throw new SkipReconcile(`${definition.type} "${first.metadata.id}" is still there`);
    },
  };
}

/** Ends the objects that the query of an object finds, if nobody or one of `owners` owns them, and waits for their end. */
export function removeOutputs<S>(
  definition: AnyDefinition,
  queryOf: (input: Resource<S>) => Query,
  owners: readonly string[] = [],
): CleanupHandler<S> {
  return {
    inputs: [destroyReady(definition)],
    outputs: [shared(definition)],
    async finalize(input, access) {
      let held = 0;
      for (const { metadata: { id, owner } } of await access.list(definition, queryOf(input))) {
        if (owner !== "" && !owners.includes(owner)) continue;
        if (await access.teardown(definition, id, { owner })) await access.destroy(definition, id, { owner });
        else held++;
      }
      if (held > 0) throw new SkipReconcile(`${held} ${definition.type} are still held`);
    },
  };
}

/** Several handlers, each after the one before is done. @throws {TypeError} when they need one input in two kinds. */
export function combine<S>(...handlers: readonly CleanupHandler<S>[]): CleanupHandler<S> {
  const inputs = new Map<string, Input>();
  const outputs = new Map<string, Output>();
  for (const input of handlers.flatMap((handler) => handler.inputs)) {
    const key = JSON.stringify([input.namespace, input.definition.type, input.id]);
    const other = inputs.get(key);
    if (other !== undefined && other.kind !== input.kind) {
      throw new TypeError(`Cannot combine handlers: ${input.definition.type} is ${other.kind} and ${input.kind}`);
    }
    inputs.set(key, input);
  }
  for (const output of handlers.flatMap((handler) => handler.outputs)) outputs.set(output.definition.type, output);
  return {
    inputs: [...inputs.values()],
    outputs: [...outputs.values()],
    async finalize(input, access) {
      for (const handler of handlers) await handler.finalize(input, access);
    },
  };
}

/** How a destroying controller works. */
export interface DestroyOptions {
  readonly concurrency?: number;
}

/** Destroys objects of a type that are tearing down and that nobody owns or holds (cosi.md 4-D). */
export function defineDestroy(definition: AnyDefinition, options: DestroyOptions = {}): QController {
  const { type } = definition;
  return defineQController({
    name: `Destroy[${type}]`,
    inputs: [qPrimary(definition)],
    outputs: [shared(definition)],
    concurrency: options.concurrency ?? 1,
    async reconcile(access, { id }) {
      const found = await access.get(definition, id);
      if (found === undefined) return;
      const { phase, owner, finalizers } = found.metadata;
      if (phase === "tearingDown" && owner === "" && finalizers.length === 0) {
        await access.destroy(definition, id, { owner });
      }
    },
  });
}
