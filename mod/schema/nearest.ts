/**
 * The candidate that `name` was probably meant to be: the one with the fewest typing slips (a letter added, left out,
 * replaced, or two neighbours swapped), upper and lower case taken as equal. `undefined` when none is within a third
 * of the name's length (at least one slip). Of equally near ones the first wins.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let limit = Math.max(1, Math.floor(name.length / 3));
  let found: string | undefined;
  for (const candidate of candidates) {
    const distance = slips(wanted, candidate.toLowerCase(), limit);
    if (distance > limit || distance >= Math.max(name.length, candidate.length)) continue;
    found = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return found;
}

/** Damerau-Levenshtein distance (adjacent swaps only); any number above `limit` once it cannot stay within it. */
function slips(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let cost = Math.min(replaced, at(last, column) + 1, at(current, column - 1) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
