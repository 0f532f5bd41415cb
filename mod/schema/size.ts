/** Bytes in each unit of size text; decimal (`GB`) and binary (`GiB`) as people write them, case ignored. */
const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  ki: 2 ** 10,
  kib: 2 ** 10,
  m: 1e6,
  mb: 1e6,
  mi: 2 ** 20,
  mib: 2 ** 20,
  g: 1e9,
  gb: 1e9,
  gi: 2 ** 30,
  gib: 2 ** 30,
  t: 1e12,
  tb: 1e12,
  ti: 2 ** 40,
  tib: 2 ** 40,
  p: 1e15,
  pb: 1e15,
  pi: 2 ** 50,
  pib: 2 ** 50,
};
const SIZE = /^(\d+(?:\.\d*)?|\.\d+) ?([a-z]*)$/i;

/** Bytes of size text (`10GB`, `1.5 GiB`, `512`), a whole number, or undefined when it is none. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text);
  const unit = UNITS[(match?.[2] ?? "").toLowerCase()];
  if (match === null || unit === undefined) return undefined;
  return Math.floor(Number(match[1]) * unit);
}

/** A limit: bytes from the start (`10GB`), bytes left free (`-10GB`), or a share of the whole (`50%`). */
export type SizeLimit = { readonly bytes: number } | { readonly percent: number };

/** The limit that text says; negative bytes are space left free. Undefined when it is none. */
export function parseSizeLimit(text: string): SizeLimit | undefined {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text);
  if (percent !== null) return Number(percent[1]) <= 100 ? { percent: Number(percent[1]) } : undefined;
  const bytes = parseSize(text.startsWith("-") ? text.slice(1) : text);
  return bytes === undefined ? undefined : { bytes: text.startsWith("-") ? -bytes : bytes };
}
