/** What section 9 of cosi.md says a new implementation can do better is done and shown by a test, or says why not. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLAUSES = 36;

type Shown = readonly (readonly [file: string, test: string])[];

const CODES = "tests/conformance/wire_codes_test.ts";
const VECTORS = "tests/conformance/wire_vectors_test.ts";
const REMOTE = "tests/conformance/remote_state_test.ts";
const REMOTE_WATCH = "tests/conformance/remote_watch_test.ts";
const RESTART = "tests/conformance/restart_test.ts";
const LOAD = "tests/conformance/wire_load_test.ts";
const WRITES = "tests/conformance/state_writes.ts";
const QUERIES = "tests/conformance/state_queries.ts";
const EXTRAS = "mod/cosi/state_extras_test.ts";
const RUNTIME = "mod/cosi/runtime_test.ts";
const GENERIC = "mod/cosi/generic_test.ts";
const CACHE = "mod/cosi/cache_test.ts";
const OWNER = "mod/cosi/runtime_owner_test.ts";
const Q_INPUTS = "mod/cosi/q_input_feed_test.ts";
const Q_LIFE = "mod/cosi/q_lifecycle_test.ts";
const TRANSACTION = "mod/cosi/transaction_test.ts";
const ENCODING = "mod/cosi/encoding_test.ts";
const METADATA = "mod/cosi/metadata_test.ts";
const MEMORY = "mod/cosi/memory_state_test.ts";
const SERVICE = "mod/api/state_service_test.ts";
const STATUS = "mod/cosi/status_board_test.ts";

/** Files and parts of tests' names, or why there are none. */
const TABLE: Readonly<Record<string, Shown | string>> = {
  "9.1": [
    [RUNTIME, "a broken watch is opened again and loses nothing"],
    [Q_INPUTS, "a broken watch leaves no object of a queue unseen"],
    [Q_INPUTS, "a broken watch leaves the end of no mapped object unseen"],
    [CACHE, "who is woken after a broken watch reads what it missed"],
  ],
  "9.2": [
    [EXTRAS, "a watch that may resync starts over when it falls behind"],
    [REMOTE, "a coalescing consumer is woken and gets the latest state"],
    ["mod/cosi/memory_watch_test.ts", "a coalescing watch tells of the end of what came and went"],
  ],
  "9.3": [
    [REMOTE_WATCH, "the time that a watch may fail counts from its first failure"],
    [REMOTE_WATCH, "a watch of one object goes on before it has a bookmark"],
  ],
  "9.4": [
    [MEMORY, "bookmarks outside history, of other collections, states and lengths are refused"],
    [RESTART, "bookmarks go on after a restart"],
  ],
  "9.5": [[WRITES, "TestUpdate: the version must be the stored one"], [CODES, "ends with ${code} (5.14)"]],
  "9.6": [[WRITES, "TestCRDWithOwners: only the owner writes"]],
  "9.7": [[VECTORS, "options may be left out"], [CODES, "ends with ${code} (5.14)"]],
  "9.8": [[REMOTE, "what create and update answer with is what is stored"]],
  "9.9": [
    [GENERIC, "tries a lost conflict again"],
    [OWNER, "a clean-up waits for who holds an output"],
    ["mod/cosi/operations_test.ts", "takes a lost create race for a change"],
  ],
  "9.10": [
    [OWNER, "a destroyReady input does not mute another"],
    ["mod/cosi/q_runner_test.ts", "a primary input may be one object"],
    [RUNTIME, "register() refuses what does not fit and leaves nothing behind"],
  ],
  "9.11": [
    [SERVICE, "a watch that falls behind the history ends with the reason"],
    ["mod/cosi/operations_test.ts", "tell of a watch that broke"],
  ],
  "9.12": [["mod/cosi/registry_test.ts", "and the flag travels"]],
  "9.13": [[RESTART, "an encrypted record that stands in the place of another"]],
  "9.14": [[CACHE, "a controller reads what it wrote"], ["mod/cosi/kind_cache_test.ts", "KindCache knows of writes"]],
  "9.15": "controllers are woken without order between kinds: each run reads everything anew",
  "9.16": [[EXTRAS, "listPage() gives every object once"], [REMOTE, "pages of a list come one by one"]],
  "9.17": [[EXTRAS, "patchResource() changes what it names"], [TRANSACTION, "transact() stores all writes"]],
  "9.18": "specs are checked by their types where they are read; clients write configs, which are checked as a whole",
  "9.19": [["mod/cosi/filtered_state_test.ts", "FilteredState asks the rule before each access"]],
  "9.20": [[REMOTE, "errors over the wire carry what errors here carry"]],
  "9.21": [
    [Q_LIFE, "unregister() ends a controller and frees its types"],
    ["mod/cosi/controller_runner_test.ts", "unregister() closes watches that nobody needs any more"],
  ],
  "9.22": [
    [STATUS, "statuses tell how controllers fare"],
    ["mod/cli/dependency_graph_test.ts", "dotText() tells kinds of arrows apart"],
    ["mod/cli/dependency_graph_test.ts", "mermaidText() draws the same"],
  ],
  "9.23": [
    [STATUS, "each write remembers what woke its controller"],
    ["mod/cli/explain_test.ts", "explain: from a resource to what it came from"],
  ],
  "9.24": [[TRANSACTION, "history() tells who wrote the last versions"], [RESTART, "history and next versions after"]],
  "9.25": "the comments of mod/cosi/mod.ts' exports are the guide",
  "9.26": [["tests/conformance/serve_test.ts", "serve.ts with a store serves the same data again"]],
  "9.27": [[ENCODING, "encodeSpec() and specYaml() make each form once a version"]],
  "9.28": [
    [MEMORY, "MemoryState freezes what it stores and shares it"],
    ["mod/cosi/reconcile_queue_test.ts", "takes from long queues in order"],
  ],
  "9.29": [[REMOTE, "a watch without specs brings metadata only"]],
  "9.30": [[METADATA, "versions and phases are read strictly"], [VECTORS, "nanoseconds stay"]],
  "9.31": [[QUERIES, "lists are in the byte order of UTF-8"]],
  "9.32": [[WRITES, "ids, types and namespaces are any text, and so are keys of labels"]],
  "9.33": [[MEMORY, "MemoryState freezes what it stores and shares it"]],
  "9.34": [["tests/conformance/state_watches.ts", "nothing is lost or doubled between snapshot and live part"]],
  "9.35": [
    [REMOTE, "a consumer that does not read holds the stream up"],
    [LOAD, "a client that never reads costs neither memory nor the writers' time"],
  ],
  "9.36": [[QUERIES, "patterns that are not RE2 are refused"], [
    ENCODING,
    "resourceYaml() shows metadata in the order",
  ]],
};

Deno.test("no clause of section 9 is without a test or a reason", () => {
  deepStrictEqual(Object.keys(TABLE), Array.from({ length: CLAUSES }, (_, at) => `9.${at + 1}`));
});

Deno.test("the tests that clauses of section 9 name exist", async () => {
  for (const [clause, shown] of Object.entries(TABLE)) {
    if (typeof shown === "string") continue;
    for (const [file, test] of shown) {
      ok((await Deno.readTextFile(join(ROOT, file))).includes(test), `clause ${clause}: ${file} has no test "${test}"`);
    }
  }
});
