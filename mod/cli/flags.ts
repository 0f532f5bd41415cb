/** One flag as data. `T` is what a command reads; {@linkcode Flags} makes a table of them typed. */
export interface Flag<T = unknown> {
  /** Letter for `-x`. */
  readonly short?: string;
  readonly help: string;
  /** Stands for the value in help, e.g. `FILE`; absent for a flag without value. */
  readonly placeholder?: string;
  /** The value when the flag is absent. */
  readonly fallback: T;
  /** That value in help; empty when it goes without saying. */
  readonly fallbackText?: string;
  /** The value after one more occurrence. Throws {@linkcode UsageError} without a name on a bad `text`. */
  next(previous: T, text: string): T;
}

/** Flags by their long name. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** What the flags of a table came to. */
export type Flags<F extends FlagTable> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

/** A name that is not known, and those that would be. */
export interface UnknownName {
  name: string;
  candidates: readonly string[];
}

/** Wrong use of the command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Set when a name was not known: the runner adds the nearest one to the text. */
  readonly unknown: UnknownName | undefined;

  constructor(message: string, unknown?: UnknownName) {
    super(message);
    this.unknown = unknown;
  }
}

/** What an int32 on the wire holds. */
const MAX_INTEGER = 0x7fffffff;

interface FlagText {
  help: string;
  short?: string;
  placeholder?: string;
}

function cut({ help, short, placeholder }: FlagText, usual: string): Pick<Flag, "help" | "short" | "placeholder"> {
  return { help, placeholder: placeholder ?? usual, ...(short !== undefined && { short }) };
}

/** The kinds of flags. */
export const flag = {
  /** True when given; `--name=false` takes it back. */
  boolean({ help, short }: FlagText, fallback = false): Flag<boolean> {
    return {
      help,
      ...(short !== undefined && { short }),
      fallback,
      fallbackText: fallback ? "true" : "",
      next(_previous, text) {
        if (text === "true" || text === "false") return text === "true";
        throw new UsageError(`"${text}" is neither true nor false`);
      },
    };
  },
  text(words: FlagText): Flag<string | undefined> {
    return { ...cut(words, "TEXT"), fallback: undefined, next: (_previous, text) => text };
  },
  /** A list, separated by commas, from all occurrences. */
  list(words: FlagText): Flag<readonly string[]> {
    return {
      ...cut(words, "TEXT,…"),
      fallback: [],
      next: (
        previous,
        text,
      ) => [...previous, ...text.split(",").map((item) => item.trim()).filter((item) => item !== "")],
    };
  },
  /** The texts of all occurrences, each as it stands: it may hold commas. */
  texts(words: FlagText): Flag<readonly string[]> {
    return { ...cut(words, "TEXT"), fallback: [], next: (previous, text) => [...previous, text] };
  },
  integer(words: FlagText, fallback: number): Flag<number> {
    return {
      ...cut(words, "N"),
      fallback,
      fallbackText: String(fallback),
      next(_previous, text) {
        if (/^-?\d+$/.test(text) && Math.abs(Number(text)) <= MAX_INTEGER) return Number(text);
        throw new UsageError(`"${text}" is not a whole number, or beyond ${MAX_INTEGER}`);
      },
    };
  },
  /** Milliseconds from `90s`, `1h30m`, `250ms`; `fallback` is such a text too, empty for 0. */
  durationMs(words: FlagText, fallback: string): Flag<number> {
    return {
      ...cut(words, "DURATION"),
      fallback: fallback === "" ? 0 : durationMs(fallback),
      fallbackText: fallback,
      next: (_previous, text) => durationMs(text),
    };
  },
  oneOf<const T extends string>(words: FlagText, values: readonly T[], fallback: T): Flag<T> {
    return {
      ...cut(words, values.join("|")),
      fallback,
      fallbackText: fallback,
      next(_previous, text) {
        const found = values.find((value) => value === text);
        if (found !== undefined) return found;
        throw new UsageError(`"${text}" is not one of ${values.join(", ")}`, { name: text, candidates: values });
      },
    };
  },
} as const;

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Kept apart from the durations of `mod/schema`, which would double the time that `monosctl help` takes to start. */
function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (text === "" || parts.map(([part]) => part).join("") !== text) {
    throw new UsageError(`"${text}" is not a duration such as 90s or 1h30m`);
  }
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
}

/** The flag that begins `args`, or `undefined` when a positional argument does. */
export interface FlagRead {
  /** Long name and new value of each flag in it; more than one for `-abc`. */
  values: [name: string, value: unknown][];
  /** How many elements of `args` it took. */
  used: 1 | 2;
}

/**
 * Reads the flag that begins `args`: `--name`, `--name=value`, `--name value`, `-x`, `-xyz`, `-x value`, `-xvalue`.
 * @throws {UsageError} unknown, or its value is missing or malformed.
 */
export function readFlag(
  table: FlagTable,
  current: Readonly<Record<string, unknown>>,
  args: readonly string[],
): FlagRead {
  const [arg = "", following] = args;
  if (arg.startsWith("--")) {
    const [, name = "", text] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    return withValue(`--${name}`, name, knownFlag(table, name), current, text, following);
  }
  const values: FlagRead["values"] = [];
  for (let at = 1; at < arg.length; at++) {
    const letter = arg[at] ?? "";
    const [name, found] = Object.entries(table).find(([, { short }]) => short === letter) ?? [];
    if (name === undefined || found === undefined) throw new UsageError(`Cannot use "-${letter}": no such flag`);
    const rest = arg.slice(at + 1);
    const isValue = rest.startsWith("=") || (found.placeholder !== undefined && rest !== "");
    const text = isValue ? rest.replace(/^=/, "") : undefined;
    const read = withValue(`-${letter}`, name, found, current, text, rest === "" ? following : undefined);
    values.push(...read.values);
    if (isValue || rest === "") return { values, used: read.used };
  }
  return { values, used: 1 };
}

function knownFlag(table: FlagTable, name: string): Flag {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found !== undefined) return found;
  const candidates = Object.keys(table).map((known) => `--${known}`);
  throw new UsageError(`Cannot use "--${name}": no such flag`, { name: `--${name}`, candidates });
}

function withValue(
  shown: string,
  name: string,
  found: Flag,
  current: Readonly<Record<string, unknown>>,
  text: string | undefined,
  following: string | undefined,
): FlagRead {
  const takesNext = text === undefined && found.placeholder !== undefined;
  const value = text ?? (takesNext ? following : "true");
  if (value === undefined) throw new UsageError(`Cannot use "${shown}": it needs a value (${found.placeholder})`);
  try {
    const previous = Object.hasOwn(current, name) ? current[name] : found.fallback;
    return { values: [[name, found.next(previous, value)]], used: takesNext ? 2 : 1 };
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`Cannot use "${shown}": ${error.message}`, error.unknown);
    throw error;
  }
}

/** The values of flags that are absent. */
export function fallbacks(table: FlagTable): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([name, { fallback }]) => [name, fallback]));
}
