import { type Controller, defineController, shared } from "../../mod/cosi/mod.ts";
import type { ResourceDefinition, Wanted } from "../../mod/cosi/mod.ts";
import type { ChangeFeed } from "./change_feed.ts";

/** How objects of the kernel are shown. */
export interface StatusSource<S> {
  /** Keys of what changed. */
  readonly feed: ChangeFeed;
  /** What is shown of the objects behind a key: none when they are gone. */
  statuses(key: string): readonly Wanted<S>[];
  /** The keys of everything. */
  keys(): Iterable<string>;
}

/** Yields to others after this many objects. */
const BATCH = 4096;

/** Shows what the kernel has: everything at first and after a loss, then what changed, each object once a pass. */
export function kernelStatusController<S, T extends string>(
  name: string,
  definition: ResourceDefinition<S, T>,
  source: StatusSource<S>,
): Controller {
  const cursor = source.feed.cursor();
  // the spec's own form does not matter in here
  const type = definition as unknown as ResourceDefinition<object, T>;
  const statuses = source.statuses as (key: string) => readonly Wanted<object>[];
  const shown = new Map<string, readonly string[]>();
  return defineController({
    name,
    inputs: [],
    outputs: [shared(type)],
    wakeOn: [cursor],
    async reconcile(r) {
      const changes = cursor.take();
      try {
        if (changes === "all") {
          shown.clear();
          await r.sync(type, everything());
          return;
        }
        const gone = new Set<string>();
        const present: Wanted<object>[] = [];
        for (const key of changes) {
          const now = statuses(key);
          for (const id of show(key, now)) gone.add(id);
          present.push(...now);
        }
        // an id may have moved to another key
        for (const { id } of present) gone.delete(id);
        let done = 0;
        for (const id of gone) {
          await r.destroy(type, id);
          if (++done % BATCH === 0) await rest();
        }
        for (const { id, spec } of present) {
          await r.modify(type, id, spec);
          if (++done % BATCH === 0) await rest();
        }
      } catch (error) {
        cursor.reset();
        throw error;
      }
    },
  });

  function* everything(): Generator<Wanted<object>> {
    for (const key of source.keys()) {
      const now = statuses(key);
      show(key, now);
      yield* now;
    }
  }

  /** Remembers what is shown behind a key, and gives the ids that no longer are. */
  function show(key: string, now: readonly Wanted<object>[]): readonly string[] {
    const old = shown.get(key) ?? [];
    if (now.length === 0) shown.delete(key);
    else shown.set(key, now.map(({ id }) => id));
    return old.length === 0 ? old : old.filter((id) => now.every((status) => status.id !== id));
  }
}

function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
