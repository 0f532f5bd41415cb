import type { DocumentKind, DocumentValue } from "./schema/kinds.ts";
import type { V1Alpha1Config } from "./schema/v1alpha1.ts";

/** One document of a machine config. */
export interface ConfigDocument<K extends DocumentKind = DocumentKind> {
  readonly apiVersion: "v1alpha1";
  readonly kind: K;
  /** Empty for kinds of which a config has one document. */
  readonly name: string;
  /** The keys that are set, frozen; keys that must be set are always there, zero when the text leaves them out. */
  readonly value: DocumentValue<K>;
  /** Position in the text, both from 1; empty documents count. */
  readonly document: number;
  readonly line: number;
}

/** The document without a kind. */
export interface V1Alpha1Document {
  readonly apiVersion: "v1alpha1";
  readonly kind: "v1alpha1";
  readonly name: "";
  readonly value: V1Alpha1Config;
  readonly document: number;
  readonly line: number;
}

/** A machine config as read: frozen plain data, and the text it was read from. */
export interface MachineConfigDocuments {
  readonly text: string;
  /** In the order of the text. */
  readonly documents: readonly (ConfigDocument | V1Alpha1Document)[];
  /** The document without a kind; a config without it is incomplete but may be applied to a waiting machine. */
  readonly v1alpha1: V1Alpha1Config | undefined;
  /** Keys and documents that are set and that nothing uses yet, as `machine.install`, `KubeletConfig`. */
  readonly unused: readonly string[];
}

/** The documents of one kind, in the order of the text. */
export function documentsOf<K extends DocumentKind>(
  config: MachineConfigDocuments,
  kind: K,
): readonly ConfigDocument<K>[] {
  return config.documents.filter((document): document is ConfigDocument<K> => document.kind === kind);
}

/** The only document of a kind that has no names, or undefined. */
export function documentOf<K extends DocumentKind>(
  config: MachineConfigDocuments,
  kind: K,
): ConfigDocument<K> | undefined {
  return documentsOf(config, kind)[0];
}

/** How messages and provenance name a document: `LinkConfig/eth0`, `HostnameConfig`, `v1alpha1`. */
export function documentLabel(document: ConfigDocument | V1Alpha1Document): string {
  return document.name === "" ? document.kind : `${document.kind}/${document.name}`;
}
