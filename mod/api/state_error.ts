import { Buffer } from "node:buffer";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import {
  ConflictError,
  InvalidBookmarkError,
  NotFoundError,
  OverrunError,
  OwnerConflictError,
  parsePhase,
  PhaseConflictError,
  type Pointer,
  UnsupportedError,
  VersionConflictError,
} from "../cosi/mod.ts";
import { StatusSchema } from "./gen/google/rpc/status_pb.ts";
import { type StateError, StateErrorSchema } from "./gen/monos/state_error_pb.ts";

/** Key of the trailer that holds a `google.rpc.Status`. */
export const STATUS_DETAILS_KEY = "grpc-status-details-bin";

/** What is to be said of an error beside its code and text; undefined when there is nothing. */
function describe(error: unknown): MessageInitShape<typeof StateErrorSchema> | undefined {
  if (error instanceof NotFoundError) return { kind: "notFound", ...pointerOf(error.pointer) };
  if (error instanceof ConflictError) {
    const about = { kind: error.reason, ...pointerOf(error.pointer) };
    if (error instanceof OwnerConflictError) return { ...about, owner: error.owner };
    if (error instanceof PhaseConflictError) return { ...about, expectedPhase: error.expected };
    if (error instanceof VersionConflictError) {
      return { ...about, givenVersion: error.given, storedVersion: error.stored };
    }
    return about;
  }
  if (error instanceof InvalidBookmarkError) return { kind: "bookmark" };
  if (error instanceof UnsupportedError) return { kind: "unsupported" };
  return error instanceof OverrunError ? { kind: "overrun" } : undefined;
}

function pointerOf({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}

/**
 * The `google.rpc.Status` of a state's error, whose detail says what exactly happened to what object (clause 9.20);
 * undefined for other errors. Code and text are those of the call's status, which clients without use for it keep to.
 */
export function stateErrorDetails(error: unknown, code: number, message: string): Buffer | undefined {
  const about = describe(error);
  if (about === undefined) return undefined;
  const details = [anyPack(StateErrorSchema, create(StateErrorSchema, about))];
  return Buffer.from(toBinary(StatusSchema, create(StatusSchema, { code, message, details })));
}

/** The state's error that details tell of, with the text that came; undefined when they tell of none. */
export function stateErrorFrom(details: Uint8Array, message: string): Error | undefined {
  try {
    const status = fromBinary(StatusSchema, details);
    const [about] = status.details.flatMap((detail) => anyUnpack(detail, StateErrorSchema) ?? []);
    const error = about && errorOf(about, message);
    if (error !== undefined) error.message = message;
    return error;
  } catch {
    return undefined; // details are a courtesy: what cannot be read is as good as none
  }
}

function errorOf(about: StateError, message: string): Error | undefined {
  const pointer = pointerOf(about);
  switch (about.kind) {
    case "notFound":
      return new NotFoundError(pointer);
    case "exists":
    case "finalizers":
      return new ConflictError(pointer, about.kind, message);
    case "version":
      return new VersionConflictError(pointer, about.givenVersion, about.storedVersion);
    case "owner":
      return new OwnerConflictError(pointer, about.owner);
    case "phase":
      return new PhaseConflictError(pointer, parsePhase(about.expectedPhase));
    case "bookmark":
      return new InvalidBookmarkError(message);
    case "unsupported":
      return new UnsupportedError(message);
    case "overrun":
      return new OverrunError(message);
    default:
      return undefined;
  }
}
