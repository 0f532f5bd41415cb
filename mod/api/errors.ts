import type { Buffer } from "node:buffer";
import { Metadata, status } from "@grpc/grpc-js";
import {
  AccessError,
  ConflictError,
  DamageError,
  InvalidBookmarkError,
  NotFoundError,
  OverrunError,
  OwnerConflictError,
  PhaseConflictError,
  StoreError,
  UnsupportedError,
} from "../cosi/mod.ts";
import { stateErrorDetails, STATUS_DETAILS_KEY } from "./state_error.ts";

/** gRPC status codes by name. */
export const CODES = status;

/** Name of a gRPC status code, such as `NOT_FOUND`. */
export type CodeName = Exclude<keyof typeof status, "OK">;

/** A call that ends with a status other than OK, on either side of the wire. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: CodeName;
  /** A `google.rpc.Status` that came with it. */
  readonly details: Uint8Array | undefined;

  constructor(code: CodeName, message: string, options?: ErrorOptions & { readonly details?: Uint8Array }) {
    super(message, options);
    this.code = code;
    this.details = options?.details;
  }
}

/** What an error class means on the wire. */
export interface ErrorRow {
  readonly error: abstract new (...args: never[]) => Error;
  readonly code: CodeName;
  /** Calls whose clients are told another code for the same error. */
  readonly except?: Readonly<Record<string, CodeName>>;
}

/** The classes known here; the first row that fits counts, so subclasses come before their base. */
const ERROR_CODES: readonly ErrorRow[] = [
  { error: NotFoundError, code: "NOT_FOUND" },
  { error: OwnerConflictError, code: "PERMISSION_DENIED" },
  {
    error: PhaseConflictError,
    code: "FAILED_PRECONDITION",
    except: { "/cosi.resource.State/Update": "INVALID_ARGUMENT" },
  },
  { error: ConflictError, code: "FAILED_PRECONDITION", except: { "/cosi.resource.State/Create": "ALREADY_EXISTS" } },
  { error: InvalidBookmarkError, code: "FAILED_PRECONDITION" },
  { error: OverrunError, code: "ABORTED" },
  { error: AccessError, code: "PERMISSION_DENIED" },
  { error: UnsupportedError, code: "UNIMPLEMENTED" },
  { error: StoreError, code: "UNAVAILABLE" },
  { error: DamageError, code: "DATA_LOSS" },
  { error: SyntaxError, code: "INVALID_ARGUMENT" },
  { error: RangeError, code: "INVALID_ARGUMENT" },
];

/**
 * The code that a call of `path` ends with after `error`; a class without a row is UNKNOWN.
 * @param more rows of packages that this one does not know; they count first.
 */
export function codeOf(error: unknown, path: string, more: readonly ErrorRow[] = []): CodeName {
  if (error instanceof ApiError) return error.code;
  for (const row of [...more, ...ERROR_CODES]) {
    if (error instanceof row.error) return row.except?.[path] ?? row.code;
  }
  return "UNKNOWN";
}

/** What a call ends with, in the form that grpc-js takes. */
export interface CallStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata?: Metadata;
}

/** Longest text of a status, in bytes: it travels among the headers, whose room is small, and may hold what was asked. */
const MAX_TEXT_BYTES = 16 << 10;
const measure = new Uint8Array(MAX_TEXT_BYTES);

/** A text that travels: headers hold whole characters, and not too many. */
function fitting(text: string): string {
  const whole = text.toWellFormed();
  if (whole.length * 3 <= MAX_TEXT_BYTES) return whole;
  const { read } = new TextEncoder().encodeInto(whole, measure);
  return read === whole.length ? whole : `${whole.slice(0, read)}…`;
}

/** The status that a call of `path` ends with after `error`; see {@link codeOf}. */
export function statusOf(error: unknown, path: string, more?: readonly ErrorRow[]): CallStatus {
  const code = status[codeOf(error, path, more)];
  const details = fitting(error instanceof Error ? error.message : String(error));
  const trailer = stateErrorDetails(error, code, details);
  if (trailer === undefined) return { code, details };
  const metadata = new Metadata();
  metadata.set(STATUS_DETAILS_KEY, trailer);
  return { code, details, metadata };
}

/** The name of a status code from the wire; UNKNOWN for one that is not an error or not known. */
export function codeNameOf(code: unknown): CodeName {
  const name = typeof code === "number" ? status[code] : undefined;
  return name === undefined || name === "OK" ? "UNKNOWN" : name as CodeName;
}

/** An error that came over the wire, from what grpc-js reports. Anything else is returned as it is. */
export function apiErrorFrom(error: unknown): Error {
  if (!(error instanceof Error)) return new ApiError("UNKNOWN", String(error));
  if (!("code" in error && "details" in error)) return error;
  const [details] = "metadata" in error && error.metadata instanceof Metadata
    ? error.metadata.get(STATUS_DETAILS_KEY) as Buffer[]
    : [];
  return new ApiError(codeNameOf(error.code), String(error.details), {
    cause: error,
    ...(details === undefined ? {} : { details }),
  });
}
