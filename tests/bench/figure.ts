/** One measured figure, and the budget it is held against, if it has one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly budget?: {
    readonly value: number;
    /** Whether a figure below or above the budget is the good one. */
    readonly is: "most" | "least";
  };
}

/** A set of figures measured together. */
export interface Bench {
  /** Word that selects it: `deno task bench NAME`. */
  readonly name: string;
  /** Yields its figures, peers and ratios included, as they are known. */
  run(): AsyncIterable<Figure>;
}

/** `name<TAB>value unit<TAB>budget<TAB>met|missed`; figures without a budget (peers, ratios) have `-` in its place. */
export function figureLine({ name, value, unit, budget }: Figure): string {
  const shown = `${amount(value)} ${unit}`;
  if (budget === undefined) return [name, shown, "-", "-"].join("\t");
  const met = budget.is === "most" ? value <= budget.value : value >= budget.value;
  return [name, shown, `${budget.is} ${amount(budget.value)} ${unit}`, met ? "met" : "missed"].join("\t");
}

function amount(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** The value below which `share` (0 … 1) of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError("Cannot take a percentile: there are no samples");
  return value;
}

/** The middle sample. */
export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}
