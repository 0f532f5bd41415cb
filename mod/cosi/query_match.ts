import { RE2JS } from "re2js";
import { isLabelMatch } from "./label_match.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";

/** Tells whether an object is what a query asks for. */
export type Match = (resource: Resource) => boolean;

/** Compiled patterns, the oldest leave first. */
const patterns = new Map<string, RE2JS>();
const MAX_PATTERNS = 64;

/** @throws {SyntaxError} when the pattern is not RE2. */
function compilePattern(pattern: string): RE2JS {
  let compiled = patterns.get(pattern);
  if (compiled === undefined) {
    try {
      compiled = RE2JS.compile(pattern);
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
