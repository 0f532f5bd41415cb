import { type Controller, defineController, shared } from "../../mod/cosi/mod.ts";
import type { ResourceDefinition, Wanted } from "../../mod/cosi/mod.ts";
import type { ChangeFeed } from "./change_feed.ts";

/** How objects of the kernel are shown. */
export interface StatusSource<S> {
  /** Keys of what changed. */
  readonly feed: ChangeFeed;
  /** What is shown of the objects behind a key: none when they are gone. */
  statuses(key: string): readonly Wanted<S>[];
  /** Everything by key. What changes meanwhile may or may not be in it. */
  all(): Iterable<readonly [key: string, statuses: readonly Wanted<S>[]]>;
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
  const objects = source as StatusSource<object>;
  /** Ids behind each key; most have one, and 100,000 lists of one would be felt. */
  const shown = new Map<string, string | readonly string[]>();
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
          const now = objects.statuses(key);
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
    for (const [key, now] of objects.all()) {
      remember(key, now);
      const [first] = now;
      if (now.length === 1 && first !== undefined) yield first;
      else yield* now;
    }
  }

  function remember(key: string, now: readonly Wanted<object>[]): void {
    const [first] = now;
    if (first === undefined) shown.delete(key);
    else shown.set(key, now.length === 1 ? first.id : now.map(({ id }) => id));
  }

  /** Remembers what is shown behind a key now, and gives the ids that no longer are. */
  function show(key: string, now: readonly Wanted<object>[]): readonly string[] {
    const old = shown.get(key);
    remember(key, now);
    const ids = old === undefined ? NONE : typeof old === "string" ? [old] : old;
    return ids.filter((id) => now.every((status) => status.id !== id));
  }
}

const NONE: readonly string[] = Object.freeze([]);

function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
