import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ConflictError } from "../cosi/mod.ts";
import { ApiError, type CodeName } from "./errors.ts";
import { type StateCall, stateErrorOf } from "./remote_error.ts";

const pointer = { namespace: "n", type: "T", id: "a" };
/** What a server without details means by a code (cosi.md 5.24). */
const cases: readonly (readonly [call: StateCall, code: CodeName, name: string, reason?: string])[] = [
  ["get", "NOT_FOUND", "NotFoundError"],
  ["get", "PERMISSION_DENIED", "ApiError"],
  ["list", "NOT_FOUND", "ApiError"],
  ["create", "ALREADY_EXISTS", "ConflictError", "exists"],
  ["create", "PERMISSION_DENIED", "OwnerConflictError", "owner"],
  ["create", "FAILED_PRECONDITION", "ApiError"],
  ["update", "NOT_FOUND", "NotFoundError"],
  ["update", "PERMISSION_DENIED", "OwnerConflictError", "owner"],
  ["update", "INVALID_ARGUMENT", "PhaseConflictError", "phase"],
  ["update", "FAILED_PRECONDITION", "ConflictError", "version"],
  ["destroy", "NOT_FOUND", "NotFoundError"],
  ["destroy", "FAILED_PRECONDITION", "ConflictError", "finalizers"],
  ["teardown", "PERMISSION_DENIED", "OwnerConflictError", "owner"],
  ["teardown", "FAILED_PRECONDITION", "ConflictError", "version"],
  ["watch", "FAILED_PRECONDITION", "InvalidBookmarkError"],
  ["watch", "PERMISSION_DENIED", "ApiError"],
  ["update", "UNAVAILABLE", "ApiError"],
  ["update", "UNKNOWN", "ApiError"],
];

for (const [call, code, name, reason] of cases) {
  Deno.test(`stateErrorOf() takes ${code} of ${call} for ${name}`, () => {
    const error = stateErrorOf(new ApiError(code, "text"), { call, pointer });
    strictEqual((error as Error).name, name);
    if (!(error instanceof ConflictError)) return strictEqual(reason, undefined);
    deepStrictEqual([error.reason, error.pointer], [reason, pointer]);
  });
}

Deno.test("stateErrorOf() leaves broken details and foreign errors alone", () => {
  const details = Uint8Array.of(0xff, 1, 2);
  const error = stateErrorOf(new ApiError("NOT_FOUND", "gone", { details }), { call: "get", pointer });
  strictEqual((error as Error).name, "NotFoundError");
  const foreign = new TypeError("mine");
  strictEqual(stateErrorOf(foreign, { call: "get", pointer }), foreign);
});
