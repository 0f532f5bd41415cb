import { type FieldsOf, record, type RecordShape, type TypedRecord } from "../schema/mod.ts";

/** A column of a table of resources: a heading and a JSONPath over the resource's YAML (clause 1.34). */
export interface PrintColumn {
  readonly name: string;
  /** Kubernetes JSONPath template, such as `{.addresses}`. */
  readonly path: string;
}

/** What a resource type is, declared once. */
export interface ResourceDefinition<S = unknown, T extends string = string> {
  /** `Plural.suffix`, such as `AddressSpecs.net.talos.dev`. */
  readonly type: T;
  /** Where instances live unless said otherwise. */
  readonly namespace: string;
  /** Short names beside the ones derived from the type. */
  readonly aliases: readonly string[];
  /** No names are derived from the type (clause 1.32). */
  readonly skipAutomaticAliases: boolean;
  readonly columns: readonly PrintColumn[];
  /** Only administrators may read it. */
  readonly sensitive: boolean;
  readonly shape: TypedRecord<S>;
  /** What YAML and JSON show in place of the record, such as one text. */
  plain?(spec: S): unknown;
}

/** Any definition, whatever its spec. */
export type AnyDefinition = Omit<ResourceDefinition, "shape"> & { readonly shape: RecordShape };

/** The spec that a definition declares. */
export type SpecOf<D> = D extends { readonly shape: TypedRecord<infer S> } ? S : never;

interface DefinitionInput<S, T extends string> {
  readonly type: T;
  readonly namespace: string;
  readonly aliases?: readonly string[];
  readonly skipAutomaticAliases?: boolean;
  readonly columns?: readonly PrintColumn[];
  readonly sensitive?: boolean;
  readonly fields: FieldsOf<S>;
  plain?(spec: S): unknown;
}

/** Declares a resource type; called as `defineResource<Spec>()({ … })`, so that `type` stays a literal. */
export function defineResource<S>(): <const T extends string>(
  input: DefinitionInput<S, T>,
) => ResourceDefinition<S, T> {
  return (
    { type, namespace, aliases = [], skipAutomaticAliases = false, columns = [], sensitive = false, ...rest },
  ) => {
    const { fields, plain } = rest;
    return Object.freeze({
      ...{ type, namespace, aliases, skipAutomaticAliases, columns, sensitive, shape: record<S>()(fields) },
      ...(plain === undefined ? {} : { plain }),
    });
  };
}
