/** Milliseconds in each unit of Go's duration text. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const TERM = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/** Milliseconds of Go duration text (`1h30m`, `-1.5s`, `0`), or undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const negative = text.startsWith("-");
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return 0;
  if (body === "") return undefined;
  let total = 0;
  TERM.lastIndex = 0;
  while (TERM.lastIndex < body.length) {
    const match = TERM.exec(body);
    if (match === null) return undefined;
    total += Number(match[1]) * (UNITS[match[2] ?? ""] ?? 0);
  }
  const exact = Math.round(total * 1e6) / 1e6;
  return negative ? -exact : exact;
}

/** Go duration text of milliseconds: `1m30s`, `500ms`, `0s`. */
export function formatDuration(ms: number): string {
  const abs = Math.round(Math.abs(ms) * 1e6) / 1e6;
  if (abs === 0) return "0s";
  const sign = ms < 0 ? "-" : "";
  if (abs < 1) return abs < 1e-3 ? `${sign}${Math.round(abs * 1e6)}ns` : `${sign}${trim(abs * 1e3)}µs`;
  if (abs < 1000) return `${sign}${trim(abs)}ms`;
  const hours = Math.floor(abs / 3_600_000);
  const minutes = Math.floor(abs % 3_600_000 / 60_000);
  const seconds = `${trim(abs % 60_000 / 1000)}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

function trim(value: number): string {
  return String(Number(value.toFixed(9)));
}
