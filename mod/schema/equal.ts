/** Deep equality of plain data: records, lists, maps, bytes and scalars. Absent and `undefined` are the same. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && isEqualList(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && isEqualBytes(a, b);
  if (Array.isArray(b) || b instanceof Uint8Array) return false;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  for (const key in left) if (!isEqual(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false;
  for (const key in right) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false;
  return true;
}

function isEqualList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!isEqual(a[index], b[index])) return false;
  return true;
}

function isEqualBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/**
 * Freezes plain data all the way down, also below what is frozen already. Bytes cannot be frozen and stay as they are.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) deepFreeze(value[index]);
    return Object.freeze(value);
  }
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
