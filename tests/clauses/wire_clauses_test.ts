/** Every clause of section 5 of cosi.md is shown by a test, or says why it binds nobody. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLAUSES = 30;

const CODES = "tests/conformance/wire_codes_test.ts";
const VECTORS = "tests/conformance/wire_vectors_test.ts";
const REMOTE = "tests/conformance/remote_state_test.ts";
const WATCH = "tests/conformance/remote_watch_test.ts";
const SERVICE = "mod/api/state_service_test.ts";

/** A file and a part of a test's name, or why there is none. */
const TABLE: Readonly<Record<string, readonly [file: string, test: string] | string>> = {
  "5.1": [VECTORS, "byte for byte what Go clients wait for"],
  "5.2": [CODES, "ends with ${code} (5.14)"],
  "5.3": "there is nothing to offer: remote controllers are tested in remote_runtime_test.ts",
  "5.4": "HTTP and JSON are another server's work",
  "5.5": [VECTORS, "options may be left out"],
  "5.6": [VECTORS, "the old operator for absence"],
  "5.7": [VECTORS, "single events come one a message"],
  "5.8": [SERVICE, "TeardownAndDestroy waits for the last finalizer"],
  "5.9": [VECTORS, "an id that is present but empty"],
  "5.10": [VECTORS, "trace D: a watch of an empty kind"],
  "5.11": [VECTORS, "an old client gets objects"],
  "5.12": [CODES, "ends with ${code} (5.14)"],
  "5.13": [VECTORS, "an old client gets objects"],
  "5.14": [CODES, "ends with ${code} (5.14)"],
  "5.15": [REMOTE, "errors over the wire carry what errors here carry"],
  "5.16": [CODES, "ends with ${code} (5.14)"],
  "5.17": [VECTORS, "is refused (5.17, 5.18)"],
  "5.18": [VECTORS, "missing times are the epoch"],
  "5.19": [SERVICE, "Get and List carry both encodings of a spec"],
  "5.20": [REMOTE, "a client that knows no type gets opaque objects"],
  "5.21": [VECTORS, "trace D: a watch of an empty kind"],
  "5.22": [VECTORS, "an empty spec is there and has nothing in it"],
  "5.23": [WATCH, "a watch that cannot be opened says why"],
  "5.24": ["mod/api/remote_error_test.ts", "stateErrorOf()"],
  "5.25": [REMOTE, "what create and update answer with is what is stored"],
  "5.26": [REMOTE, "a server without the Teardown call"],
  "5.27": [WATCH, "goes on over restarts"],
  "5.28": [WATCH, "the time that a watch may fail counts from its first failure"],
  "5.29": [WATCH, "a watch of one object goes on before it has a bookmark"],
  "5.30": [WATCH, "without retries a lost stream is the last event"],
};

Deno.test("no clause of section 5 is without a test", () => {
  deepStrictEqual(Object.keys(TABLE), Array.from({ length: CLAUSES }, (_, at) => `5.${at + 1}`));
});

Deno.test("the tests that clauses of section 5 name exist", async () => {
  for (const [clause, shown] of Object.entries(TABLE)) {
    if (typeof shown === "string") continue;
    const [file, test] = shown;
    ok((await Deno.readTextFile(join(ROOT, file))).includes(test), `clause ${clause}: ${file} has no test "${test}"`);
  }
});
