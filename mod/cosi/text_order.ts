/** Characters whose UTF-16 order differs from the byte order of UTF-8: surrogates and what lies above them. */
const HIGH = /[\ud800-\uffff]/;

/** Order of the UTF-8 bytes of two texts, as Go compares them (clause 9.31). */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!HIGH.test(a) || !HIGH.test(b)) return a < b ? -1 : 1;
  return compareUnits(a, b);
}

/** Whether the plain order of JavaScript serves for this text beside any other such text. */
export function isPlainlyOrdered(text: string): boolean {
  return !HIGH.test(text);
}

function compareUnits(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at), right = b.charCodeAt(at);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above U+FFFF, so they rank above all other units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
