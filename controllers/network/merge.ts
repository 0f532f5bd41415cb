import { type Controller, defineController, destroyReady, type Resource, shared, weak } from "../../mod/cosi/mod.ts";
import type { ResourceDefinition, Wanted } from "../../mod/cosi/mod.ts";
import {
  CONFIG_LAYERS,
  type ConfigLayer,
  NETWORK,
  NETWORK_CONFIG,
  ORIGIN_ANNOTATION_PREFIX,
  SOURCE_ANNOTATION,
} from "../../resources/network/layer.ts";

/** A wish of one layer. */
export interface Layered<S> {
  readonly spec: S;
  /** `<layer> <source>`, such as `configuration LinkConfig/dummy0`. */
  readonly origin: string;
}

/** What layers come to, with the origin of every field. */
export interface Merged<S> {
  readonly spec: S;
  readonly origins: Readonly<Record<string, string>>;
}

/** How wishes of one type become one. */
export interface MergeRule<S> {
  /** Id of the merged object; wishes with the same id are merged. */
  idOf(spec: S): string;
  /** Folds wishes, lowest layer first; there is at least one. */
  fold(wishes: readonly Layered<S>[]): Merged<S>;
}

interface HasLayer {
  readonly layer: ConfigLayer;
}

/** Folds the wishes of a type in `network-config` to objects in `network`. */
export function mergeController<S extends HasLayer, T extends string>(
  name: string,
  definition: ResourceDefinition<S, T>,
  rule: MergeRule<S>,
): Controller {
  // inside, the type is known by its layer only, which is all that is needed here
  const type = definition as unknown as ResourceDefinition<HasLayer, T>;
  return defineController({
    name,
    inputs: [weak(type, { namespace: NETWORK_CONFIG }), destroyReady(type, { namespace: NETWORK })],
    outputs: [shared(type)],
    async reconcile(r) {
      const wishes = await r.list(type, { namespace: NETWORK_CONFIG });
      await r.sync(type, mergeWishes(wishes as readonly Resource<S>[], rule), { namespace: NETWORK });
    },
  });
}

/** Pure: the merged objects of all wishes that are not going away, with an annotation a field. */
export function mergeWishes<S extends HasLayer>(wishes: readonly Resource<S>[], rule: MergeRule<S>): Wanted<S>[] {
  const groups = new Map<string, Resource<S>[]>();
  for (const wish of wishes) {
    if (wish.metadata.phase !== "running") continue;
    const id = rule.idOf(wish.spec);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [wish]);
    else group.push(wish);
  }
  return [...groups].map(([id, group]) => {
    // the order of ids within a layer is that of the state, so the outcome does not depend on who wrote first
    group.sort((a, b) => CONFIG_LAYERS[a.spec.layer] - CONFIG_LAYERS[b.spec.layer]);
    const { spec, origins } = rule.fold(group.map(layered));
    const annotations = new Map(
      Object.entries(origins).filter(([field]) => field !== "layer") // it is in every origin
        .map(([field, origin]) => [ORIGIN_ANNOTATION_PREFIX + field, origin]),
    );
    return { id, spec, annotations };
  });
}

function layered<S extends HasLayer>({ metadata, spec }: Resource<S>): Layered<S> {
  const source = metadata.annotations.get(SOURCE_ANNOTATION) ?? metadata.owner;
  return { spec, origin: source === "" ? spec.layer : `${spec.layer} ${source}` };
}

/** The highest layer wins with all its fields. */
export function foldWhole<S extends object>(wishes: readonly Layered<S>[]): Merged<S> {
  const top = last(wishes);
  return { spec: top.spec, origins: Object.fromEntries(Object.keys(top.spec).map((field) => [field, top.origin])) };
}

/**
 * Each field is that of the highest layer that sets it. An optional field is set when it is present, be it off; of
 * `silentAtZero` fields the zero value says nothing.
 */
export function foldFields<S extends object>(
  wishes: readonly Layered<S>[],
  silentAtZero: Readonly<Partial<S>>,
): Merged<S> {
  const spec: S = { ...last(wishes).spec };
  const origins: Record<string, string> = {};
  for (const wish of wishes) {
    for (const field of Object.keys(wish.spec) as (keyof S & string)[]) {
      const value = wish.spec[field];
      if (value === undefined || (Object.hasOwn(silentAtZero, field) && value === silentAtZero[field])) continue;
      spec[field] = value;
      origins[field] = wish.origin;
    }
  }
  return { spec, origins };
}

function last<S>(wishes: readonly Layered<S>[]): Layered<S> {
  const top = wishes.at(-1);
  if (top === undefined) throw new TypeError("Cannot merge wishes: there are none");
  return top;
}
