import type { ResourceDefinitionSpec } from "../cosi/mod.ts";
import { UsageError } from "./flags.ts";

/**
 * The type that a user's word means: a whole type or one of its aliases, upper and lower case taken as equal.
 * @throws {UsageError} none has it (with all words there are), or several do.
 */
export function resourceType(word: string, types: readonly ResourceDefinitionSpec[]): ResourceDefinitionSpec {
  const wanted = word.toLowerCase();
  const exact = types.find(({ type }) => type.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  const all = types.filter(({ allAliases }) => allAliases.some((alias) => alias === wanted));
  const chosen = all.filter((type) => !isInitials(wanted, type));
  const [found, ...others] = chosen.length > 0 ? chosen : all;
  if (found === undefined) {
    throw new UsageError(`Cannot get "${word}": there is no such type of resource (get rd lists them)`, {
      name: word,
      candidates: types.flatMap(({ allAliases }) => allAliases),
    });
  }
  if (others.length === 0) return found;
  const names = [found, ...others].map(({ type }) => type.toLowerCase()).sort().join(", ");
  throw new UsageError(`Cannot get "${word}": it may mean ${names}; write one of these`);
}

/** Whether a word is only the capitals of the type's name: `ns` is chosen for namespaces, but not for NetworkStatuses. */
function isInitials(word: string, { type }: ResourceDefinitionSpec): boolean {
  const initials = (type.split(".", 1)[0] ?? "").replaceAll(/[^A-Z]/g, "").toLowerCase();
  return initials.length > 1 && (word === initials || word === `${initials}s`);
}
