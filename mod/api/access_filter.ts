import type { Kind, State } from "../cosi/mod.ts";
import { ApiError } from "./errors.ts";

/** What a caller wants to do with a kind. Teardown counts as an update. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "destroy";

/** Decides about one access. @throws to refuse it. */
export type AccessRule = (verb: Verb, kind: Kind) => void;

/** What there is to read. */
export interface Catalog {
  /** Undefined for a type that is not registered. */
  definition(type: string): { readonly sensitive: boolean } | undefined;
  hasNamespace(name: string): boolean;
}

/** The same state behind a rule: a refused call fails with what the rule threw. */
export function filterState(state: State, rule: AccessRule): State {
  const guard = <A extends [Kind, ...unknown[]], R>(verb: Verb, call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      rule(verb, args[0]);
      return await call(...args);
    };
  };
  return {
    get: guard("get", (pointer) => state.get(pointer)),
    list: guard("list", (kind, query) => state.list(kind, query)),
    watch: guard("watch", (pointer, options) => state.watch(pointer, options)),
    watchKind: guard("watch", (kind, options) => state.watchKind(kind, options)),
    destroy: guard("destroy", (pointer, options) => state.destroy(pointer, options)),
    teardown: guard("update", (pointer, options) => state.teardown(pointer, options)),
    create: async (resource, options) => {
      rule("create", resource.metadata);
      return await state.create(resource, options);
    },
    update: async (resource, options) => {
      rule("update", resource.metadata);
      return await state.update(resource, options);
    },
  };
}

/**
 * What clients of a node may do: read registered types in registered namespaces, sensitive ones with `mayReadSecrets`.
 * Nobody writes: a client changes a node by its config.
 */
export function clientRule(catalog: Catalog, mayReadSecrets: () => boolean): AccessRule {
  return (verb, { namespace, type }) => {
    const refuse = (reason: string) =>
      new ApiError("PERMISSION_DENIED", `Cannot ${verb} "${type}" in namespace "${namespace}": ${reason}`);
    if (verb === "create" || verb === "update" || verb === "destroy") {
      throw refuse("resources are read-only for clients; apply a config instead");
    }
    const definition = catalog.definition(type);
    if (definition === undefined) throw refuse("there is no such type");
    if (!catalog.hasNamespace(namespace)) throw refuse("there is no such namespace");
    if (definition.sensitive && !mayReadSecrets()) throw refuse(`it holds secrets, which need role "os:admin"`);
  };
}
