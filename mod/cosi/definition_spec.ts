// @ts-types="npm:@types/pluralize@0.0.33"
import pluralize from "pluralize";
import { field, record } from "../schema/mod.ts";
import { type AnyDefinition, defineResource } from "./definition.ts";

/** Namespace and owner of what is published about types and namespaces. */
export const META_NAMESPACE = "meta";
export const META_OWNER = "meta";

/** What clients learn of a namespace. */
export interface NamespaceSpec {
  readonly description: string;
}

/** What clients learn of a type (clause 1.28). */
export interface ResourceDefinitionSpec {
  readonly type: string;
  /** Singular of the type's first word. */
  readonly displayType: string;
  readonly defaultNamespace: string;
  readonly aliases: readonly string[];
  /** Every word that a client may say for the type. */
  readonly allAliases: readonly string[];
  readonly skipAutomaticAliases: boolean;
  readonly printColumns: readonly { readonly name: string; readonly jsonPath: string }[];
  readonly sensitivity: "" | "sensitive";
}

/** All namespaces; the id is the name. */
export const Namespaces = defineResource<NamespaceSpec>()({
  type: "Namespaces.meta.cosi.dev",
  namespace: META_NAMESPACE,
  aliases: ["ns"],
  fields: { description: field.string(1) },
});

/** All types; the id is the type in lower case. */
export const ResourceDefinitions = defineResource<ResourceDefinitionSpec>()({
  type: "ResourceDefinitions.meta.cosi.dev",
  namespace: META_NAMESPACE,
  aliases: ["api-resources"],
  columns: [{ name: "Aliases", path: "{.aliases[:]}" }],
  fields: {
    type: field.string(1),
    displayType: field.string(2),
    defaultNamespace: field.string(3),
    aliases: field.list(4, field.string()),
    allAliases: field.list(5, field.string()),
    skipAutomaticAliases: field.bool(1001, { omitEmpty: true }), // of our own: the message has no place for it (1.29)
    printColumns: field.list(
      6,
      field.record(
        0,
        record<{ readonly name: string; readonly jsonPath: string }>()({
          name: field.string(1),
          jsonPath: field.string(2),
        }),
      ),
    ),
    sensitivity: field.oneOf(7, { "": 0, sensitive: 1 }, { omitEmpty: true }),
  },
});

const NAME = /^[A-Z][A-Za-z0-9-]+$/;
const SUFFIX = /^[a-z][a-z0-9-]+(\.[a-z][a-z0-9-]+)*$/;

/** What is wrong with the name of a type, or undefined when it is well formed (clause 1.31). */
function problemOf(type: string): string | undefined {
  const dot = type.indexOf(".");
  if (dot < 0) return "missing suffix";
  const name = type.slice(0, dot), suffix = type.slice(dot + 1);
  if (name === "") return "name is empty";
  if (suffix === "") return "suffix is empty";
  if (name === name.toLowerCase()) return "name should be in CamelCase";
  if (!NAME.test(name)) return `name "${name}" does not match ${NAME.source}`;
  if (!SUFFIX.test(suffix)) return `suffix "${suffix}" does not match ${SUFFIX.source}`;
  return pluralize.isPlural(name) ? undefined : "name should be plural";
}

const specs = new WeakMap<AnyDefinition, ResourceDefinitionSpec>();

/**
 * What clients learn of a definition, aliases derived from its name included (clauses 1.31-1.33).
 * @throws {TypeError} when the type's name is malformed.
 */
export function definitionSpec(definition: AnyDefinition): ResourceDefinitionSpec {
  let spec = specs.get(definition);
  if (spec === undefined) {
    spec = makeSpec(definition);
    specs.set(definition, spec);
  }
  return spec;
}

function makeSpec(definition: AnyDefinition): ResourceDefinitionSpec {
  const { type, namespace, columns, sensitive, skipAutomaticAliases } = definition;
  const problem = problemOf(type);
  if (problem !== undefined) throw new TypeError(`Cannot define resource type "${type}": ${problem}`);
  const [name = "", ...labels] = type.split(".");
  const displayType = pluralize.singular(name);
  const derived = skipAutomaticAliases ? [] : aliasesOf(name, displayType);
  const longer = skipAutomaticAliases ? [] : suffixed(name.toLowerCase(), labels);
  const aliases = [...definition.aliases, ...derived];
  const allAliases = [...longer, ...aliases];
  return {
    ...{ type, displayType, defaultNamespace: namespace, aliases, allAliases, skipAutomaticAliases },
    printColumns: columns.map(({ name, path }) => ({ name, jsonPath: path })),
    sensitivity: sensitive ? "sensitive" : "",
  };
}

/** The singular, and the capitals with an s behind them. */
function aliasesOf(name: string, displayType: string): string[] {
  const aliases = [displayType.toLowerCase()];
  const capitals = name.replaceAll(/[^A-Z]/g, "").toLowerCase();
  if (capitals.length > 1) aliases.push(capitals);
  if (capitals.length > 1 && !capitals.endsWith("s")) aliases.push(`${capitals}s`);
  return aliases;
}

/** The name alone, and with all beginnings of its suffix but the whole. */
function suffixed(name: string, labels: readonly string[]): string[] {
  return [name, ...labels.slice(0, -1).map((_, at) => [name, ...labels.slice(0, at + 1)].join("."))];
}
