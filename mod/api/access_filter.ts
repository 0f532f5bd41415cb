import { type AccessRule, isReadVerb } from "../cosi/mod.ts";
import { ApiError } from "./errors.ts";

/** What there is to read. */
export interface Catalog {
  /** Undefined for a type that is not registered. */
  definition(type: string): { readonly sensitive: boolean } | undefined;
  hasNamespace(name: string): boolean;
}

/**
 * What clients of a node may do: read registered types in registered namespaces, sensitive ones with `mayReadSecrets`.
 * Nobody writes: a client changes a node by its config. A refusal is an {@link ApiError} PERMISSION_DENIED.
 */
export function clientRule(catalog: Catalog, mayReadSecrets: () => boolean): AccessRule {
  return (namespace, type, _id, verb) => {
    const refuse = (reason: string) =>
      new ApiError("PERMISSION_DENIED", `Cannot ${verb} "${type}" in namespace "${namespace}": ${reason}`);
    if (!isReadVerb(verb)) throw refuse("resources are read-only for clients; apply a config instead");
    const definition = catalog.definition(type);
    if (definition === undefined) throw refuse("there is no such type");
    if (!catalog.hasNamespace(namespace)) throw refuse("there is no such namespace");
    if (definition.sensitive && !mayReadSecrets()) throw refuse(`it holds secrets, which need role "os:admin"`);
  };
}
