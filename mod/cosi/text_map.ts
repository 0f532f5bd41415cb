import type { TextMap } from "./metadata.ts";

/** A map that refuses changes, so that one object serves a resource, its history and all readers. */
class FrozenTextMap extends Map<string, string> {
  constructor(entries: Iterable<readonly [string, string]>) {
    super();
    for (const [key, value] of entries) super.set(key, value);
  }
  override set(): this {
    throw new TypeError("Cannot change labels or annotations: they are shared, make a new map");
  }
  override delete(): boolean {
    throw new TypeError("Cannot change labels or annotations: they are shared, make a new map");
  }
  override clear(): void {
    throw new TypeError("Cannot change labels or annotations: they are shared, make a new map");
  }
}

/** No labels, no annotations. */
export const NO_TEXT: TextMap = new FrozenTextMap([]);

/** A frozen map of the entries; one that is frozen already comes back as it is. */
export function textMap(entries: TextMap | Iterable<readonly [string, string]> | undefined): TextMap {
  if (entries === undefined) return NO_TEXT;
  if (entries instanceof FrozenTextMap) return entries;
  if (!(entries instanceof Map)) return new FrozenTextMap(entries);
  if (entries.size === 0) return NO_TEXT;
  // Objects that are made one after the other often have the same labels, which then are one map.
  if (!hasSameEntries(entries, recent)) recent = new FrozenTextMap(entries);
  return recent;
}

/** The last map that was made of a map. */
let recent: TextMap = NO_TEXT;

/** Whether both have the same entries in the same order. */
function hasSameEntries(a: TextMap, b: TextMap): boolean {
  if (a.size !== b.size) return false;
  const others = b.entries();
  for (const [key, value] of a) {
    const other = others.next().value;
    if (other === undefined || other[0] !== key || other[1] !== value) return false;
  }
  return true;
}

/** The map with one entry more, or another value for it. */
export function withText(map: TextMap, key: string, value: string): TextMap {
  return map.get(key) === value ? textMap(map) : new FrozenTextMap([...map, [key, value]]);
}

/** The map without an entry. */
export function withoutText(map: TextMap, key: string): TextMap {
  return map.has(key) ? new FrozenTextMap([...map].filter(([name]) => name !== key)) : textMap(map);
}

export function isTextMapEqual(a: TextMap, b: TextMap): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
