/** Where a network setting comes from; the higher number wins when they are merged. */
export const CONFIG_LAYERS = { default: 0, cmdline: 1, platform: 2, operator: 3, configuration: 4 } as const;

/** A word of {@link CONFIG_LAYERS}. */
export type ConfigLayer = keyof typeof CONFIG_LAYERS;

/** Namespace of merged wishes and of what the kernel has. */
export const NETWORK = "network";

/** Namespace of wishes by layer, before they are merged. */
export const NETWORK_CONFIG = "network-config";

/** Annotation of an object in {@link NETWORK_CONFIG}: who asked for it, such as `LinkConfig/dummy0`. */
export const SOURCE_ANNOTATION = "monos.dev/source";

/** Prefix of the annotations of a merged object, one a field: `<layer> <source>`. */
export const ORIGIN_ANNOTATION_PREFIX = "origin.monos.dev/";

/** Id of an object in {@link NETWORK_CONFIG}: the layer, then the id that the merged object has. */
export function layeredId(layer: ConfigLayer, id: string): string {
  return `${layer}/${id}`;
}
