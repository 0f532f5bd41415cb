import type { Metadata } from "./metadata.ts";

/**
 * Metadata and spec. Both are frozen plain data, shared by reference with every reader, watcher and history entry.
 * The spec of a type that this process does not know is an {@link OpaqueSpec}.
 */
export interface Resource<S = unknown> {
  readonly metadata: Metadata;
  readonly spec: S;
}

/** A spec of a type unknown here: its two encodings as they came, handed on byte for byte (clauses 1.22, 5.20). */
export class OpaqueSpec {
  constructor(
    /** Undefined when the sender left it out, which some receivers tell from empty (clause 5.22). */
    readonly proto: Uint8Array | undefined,
    readonly yaml: string,
  ) {}
}
