import {
  ConflictError,
  InvalidBookmarkError,
  NotFoundError,
  OwnerConflictError,
  PhaseConflictError,
  type Pointer,
  type UpdateOptions,
} from "../cosi/mod.ts";
import { ApiError, type CodeName } from "./errors.ts";
import { stateErrorFrom } from "./state_error.ts";

/** A call of the state's service. */
export type StateCall = "get" | "list" | "create" | "update" | "destroy" | "teardown" | "watch";

/** What a call was about, as far as a server without details leaves it to the client to say. */
export interface CallSubject {
  readonly call: StateCall;
  readonly pointer: Pointer;
  readonly expectedPhase?: UpdateOptions["expectedPhase"];
}

/**
 * The error that a state in this process would have thrown (cosi.md 5.24). Details of the server decide; without any
 * the code does, as every client of this service reads it. What is no error of a state stays as it is.
 */
export function stateErrorOf(error: unknown, subject: CallSubject): unknown {
  if (!(error instanceof ApiError)) return error;
  const known = error.details === undefined ? undefined : stateErrorFrom(error.details, error.message);
  return known ?? errorOfCode(error.code, error.message, subject) ?? error;
}

function errorOfCode(code: CodeName, message: string, subject: CallSubject): Error | undefined {
  const { call, pointer } = subject;
  if (call === "watch") return code === "FAILED_PRECONDITION" ? new InvalidBookmarkError(message) : undefined;
  if (code === "NOT_FOUND") return call === "list" ? undefined : new NotFoundError(pointer);
  if (call === "get" || call === "list") return undefined;
  if (code === "PERMISSION_DENIED") return new OwnerConflictError(pointer, "somebody else");
  if (call === "create") return code === "ALREADY_EXISTS" ? new ConflictError(pointer, "exists", message) : undefined;
  if (call === "update" && code === "INVALID_ARGUMENT") {
    const { expectedPhase = "running" } = subject;
    return expectedPhase === "any" ? undefined : new PhaseConflictError(pointer, expectedPhase);
  }
  if (code !== "FAILED_PRECONDITION") return undefined;
  return new ConflictError(pointer, call === "destroy" ? "finalizers" : "version", message);
}
