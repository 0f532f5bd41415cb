/** Beyond this many old items for a new one, looking for its place beats comparing all. */
const FEW = 16;

/** Two sorted lists as one; nothing is in both. Cheap when the second is short. */
export function mergeSorted<T>(left: readonly T[], right: T[], compare: (a: T, b: T) => number): T[] {
  if (left.length === 0) return right;
  if (right.length === 0) return left as T[];
  const merged: T[] = [];
  const isFew = right.length * FEW < left.length;
  let from = 0;
  for (const item of right) {
    const to = isFew ? placeOf(left, item, from, compare) : stepTo(left, item, from, compare);
    for (let at = from; at < to; at++) merged.push(left[at] as T);
    merged.push(item);
    from = to;
  }
  for (let at = from; at < left.length; at++) merged.push(left[at] as T);
  return merged;
}

/** Index of the first item from `from` on that is not before `item`. */
export function placeOf<T>(list: readonly T[], item: T, from: number, compare: (a: T, b: T) => number): number {
  let low = from, high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(list[middle] as T, item) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function stepTo<T>(list: readonly T[], item: T, from: number, compare: (a: T, b: T) => number): number {
  let at = from;
  while (at < list.length && compare(list[at] as T, item) < 0) at++;
  return at;
}
