import type { AnyDefinition } from "./definition.ts";
import { definitionSpec, META_NAMESPACE, META_OWNER, Namespaces, ResourceDefinitions } from "./definition_spec.ts";
import { modify } from "./operations.ts";
import { newResource, withSpec } from "./resource.ts";
import type { State } from "./state.ts";

/** A namespace and what it is for. */
export interface NamespaceDeclaration {
  readonly name: string;
  readonly description: string;
}

/** The types that this process knows, the two meta types among them. */
export class DefinitionRegistry {
  readonly #byType = new Map<string, AnyDefinition>();
  #byAlias: Map<string, AnyDefinition[]> | undefined;

  /** @throws {TypeError} when two definitions have one type (clause 1.24). */
  constructor(definitions: Iterable<AnyDefinition>) {
    for (const definition of [Namespaces, ResourceDefinitions, ...definitions]) {
      const other = this.#byType.get(definition.type);
      if (other === definition) continue;
      if (other !== undefined) throw new TypeError(`Cannot register ${definition.type}: it is already registered`);
      this.#byType.set(definition.type, definition);
    }
  }

  get all(): Iterable<AnyDefinition> {
    return this.#byType.values();
  }

  byType(type: string): AnyDefinition | undefined {
    return this.#byType.get(type);
  }

  /** The types that a user's word may mean: a whole type, or an alias, in whatever case. Several: it is ambiguous. */
  byAlias(word: string): readonly AnyDefinition[] {
    this.#byAlias ??= this.#aliases();
    return this.#byAlias.get(word.toLowerCase()) ?? [];
  }

  #aliases(): Map<string, AnyDefinition[]> {
    const byAlias = new Map<string, AnyDefinition[]>();
    for (const definition of this.#byType.values()) {
      for (const alias of new Set([definition.type.toLowerCase(), ...definitionSpec(definition).allAliases])) {
        const others = byAlias.get(alias);
        if (others === undefined) byAlias.set(alias, [definition]);
        else others.push(definition);
      }
    }
    return byAlias;
  }
}

/**
 * Publishes types and namespaces, and the meta types and namespace themselves (cosi.md 1-E). Doing it again changes
 * nothing. @throws {TypeError} when a type's name is malformed.
 */
export async function registerDefinitions(
  state: State,
  definitions: Iterable<AnyDefinition>,
  namespaces: Iterable<NamespaceDeclaration>,
): Promise<void> {
  const owner = META_OWNER;
  const meta = {
    name: META_NAMESPACE,
    description: "Metadata namespace which contains resource and namespace definitions.",
  };
  for (const { name, description } of [meta, ...namespaces]) {
    const resource = newResource(Namespaces, name, { description });
    await modify(state, resource.metadata, (current) => withSpec(current ?? resource, resource.spec), { owner });
  }
  for (const definition of new DefinitionRegistry(definitions).all) {
    const spec = definitionSpec(definition);
    const resource = newResource(ResourceDefinitions, definition.type.toLowerCase(), spec);
    await modify(state, resource.metadata, (current) => withSpec(current ?? resource, spec), { owner });
  }
}
