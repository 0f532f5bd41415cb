import type { AnyDefinition, MemoryState, WakeSource } from "../../mod/cosi/mod.ts";

/**
 * Checks again at every event of a source until the check holds. Nothing is polled: without an event, nothing is looked
 * at. The time a check may take is for slow machines; tests of a delay pass theirs.
 * @returns milliseconds until it held
 * @throws what the check threw last, once the time is over
 */
export async function eventually(
  sources: readonly WakeSource[],
  check: () => void | Promise<void>,
  withinMs = 5000,
): Promise<number> {
  const start = performance.now();
  let wake = () => {};
  let isNews = false;
  using subscriptions = new DisposableStack();
  for (const source of sources) {
    subscriptions.use(source.subscribe(() => {
      isNews = true;
      wake();
    }));
  }
  const deadline = Promise.withResolvers<"late">();
  const timer = setTimeout(() => deadline.resolve("late"), withinMs);
  try {
    while (true) {
      isNews = false;
      let failure: unknown;
      try {
        await check();
        return performance.now() - start;
      } catch (error) {
        failure = error;
      }
      const event = new Promise<"event">((resolve) => {
        wake = () => resolve("event");
        if (isNews) wake();
      });
      if (await Promise.race([event, deadline.promise]) === "late") throw failure;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Changes of resources of these types in a namespace. */
export function changesOf(
  state: MemoryState,
  definitions: readonly Pick<AnyDefinition, "type" | "namespace">[],
): WakeSource {
  return {
    subscribe(wake) {
      const watches = new DisposableStack();
      for (const { type, namespace } of definitions) {
        const watch = state.watchKindNow({ type, namespace }, {
          coalesce: true,
          wake: () => {
            watch.take();
            wake();
          },
        });
        watches.use(watch);
      }
      return watches;
    },
  };
}
