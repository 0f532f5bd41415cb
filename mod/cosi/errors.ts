import { type Phase, type Pointer, pointerText } from "./metadata.ts";

/** The object is not there (clause 2.6). */
export class NotFoundError extends Error {
  override readonly name: string = "NotFoundError";
  constructor(readonly pointer: Pointer) {
    super(`Cannot find ${pointerText(pointer)}: it does not exist`);
  }
}

/** Why a write was refused. */
export type ConflictReason = "exists" | "version" | "finalizers" | "owner" | "phase";

/** A write does not fit what is stored. Always names its object (clause 9.5). */
export class ConflictError extends Error {
  override readonly name: string = "ConflictError";
  constructor(readonly pointer: Pointer, readonly reason: ConflictReason, what: string) {
    super(`Cannot write ${pointerText(pointer)}: ${what}`);
  }
}

/** The object belongs to another owner. */
export class OwnerConflictError extends ConflictError {
  override readonly name = "OwnerConflictError";
  constructor(pointer: Pointer, readonly owner: string) {
    super(pointer, "owner", `it is owned by "${owner}"`);
  }
}

/** The object is in another phase than the writer expected. */
export class PhaseConflictError extends ConflictError {
  override readonly name = "PhaseConflictError";
  constructor(pointer: Pointer, readonly expected: Phase) {
    super(pointer, "phase", `it is not in phase "${expected}"`);
  }
}

/** The object was written since the writer read it, or was never in the version that the writer has. */
export class VersionConflictError extends ConflictError {
  override readonly name = "VersionConflictError";
  /** Versions that the writer had and that is stored, as `formatVersion` writes them. */
  constructor(pointer: Pointer, readonly given: string, readonly stored: string) {
    super(pointer, "version", `it has version "${stored}", not "${given}"`);
  }
}

/** A bookmark that is malformed, foreign, too old or in the future. */
export class InvalidBookmarkError extends Error {
  override readonly name = "InvalidBookmarkError";
}

/** This state cannot do what was asked. */
export class UnsupportedError extends Error {
  override readonly name = "UnsupportedError";
}

/** A watcher fell behind by more events than history holds (clause 2.43). */
export class OverrunError extends Error {
  override readonly name = "OverrunError";
}

/** A controller did what it did not declare (clause 3.26). */
export class AccessError extends Error {
  override readonly name = "AccessError";
}

/** A controller does not fit beside those that are registered (clause 3.24). */
export class RegistrationError extends Error {
  override readonly name = "RegistrationError";
  constructor(readonly controller: string, what: string) {
    super(`Cannot register controller "${controller}": ${what}`);
  }
}
