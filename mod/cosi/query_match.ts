import type { RE2JS } from "re2js";
import { isLabelMatch } from "./label_match.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";

/** Tells whether an object is what a query asks for. */
export type Match = (resource: Resource) => boolean;

/** What patterns need; loading it takes 8 ms and 2 MiB, which a machine whose clients send none does not spend. */
let engine: typeof RE2JS | undefined;

/** To be awaited before a query with an id pattern is compiled; costs nothing when the query has none. */
export async function loadPatterns({ id }: Query): Promise<void> {
  if (id !== undefined && id !== "") engine ??= (await import("re2js")).RE2JS;
}

/** Whether {@link loadPatterns} has to be awaited first. */
export function lacksPatterns({ id }: Query): boolean {
  return id !== undefined && id !== "" && engine === undefined;
}

/** Compiled patterns, the oldest leave first. */
const patterns = new Map<string, RE2JS>();
const MAX_PATTERNS = 64;

/** @throws {SyntaxError} when the pattern is not RE2. */
function compilePattern(pattern: string): RE2JS {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    if (engine === undefined) throw new TypeError("Cannot use an id pattern: loadPatterns() was not awaited");
    try {
      compiled = engine.compile(pattern);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new SyntaxError(`Cannot read id pattern "${pattern}": ${reason}`, { cause });
    }
    patterns.set(pattern, compiled);
    const [oldest] = patterns.keys();
    if (patterns.size > MAX_PATTERNS && oldest !== undefined) patterns.delete(oldest);
  }
  return compiled;
}

/**
 * The test a query stands for, or undefined when everything matches. Patterns take linear time, whoever sent them.
 * @throws {SyntaxError} when the id pattern is not RE2.
 * @throws {TypeError} when there is one and {@link loadPatterns} was not awaited.
 */
export function compileQuery(query: Query): Match | undefined {
  const { labels = [], id } = query;
  const byLabel = labels.length > 0 && labels.every((terms) => terms.length > 0);
  if (id === undefined || id === "") {
    return byLabel ? ({ metadata }) => isLabelMatch(labels, metadata.labels) : undefined;
  }
  const pattern = compilePattern(id);
  if (!byLabel) return ({ metadata }) => pattern.matcher(metadata.id).find();
  return ({ metadata }) => isLabelMatch(labels, metadata.labels) && pattern.matcher(metadata.id).find();
}
