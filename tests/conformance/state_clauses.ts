import { STATE_TESTS } from "./state_suite.ts";

/** Tests outside the suite: a file and a part of the test's name. */
type Elsewhere = readonly (readonly [file: string, test: string])[];

const ENCODING = "mod/cosi/encoding_test.ts";
const METADATA = "mod/cosi/metadata_test.ts";
const REGISTRY = "mod/cosi/registry_test.ts";
const MEMORY = "mod/cosi/memory_state_test.ts";
const OPERATIONS = "mod/cosi/operations_test.ts";
const REMOTE = "tests/conformance/remote_state_test.ts";
const SUITE = "tests/conformance/state_suite_test.ts";
const RESTART = "tests/conformance/restart_test.ts";
const ALIASES = [[REGISTRY, "derives the aliases of clause 1.33"]] as const;
const PUBLISHES = [[REGISTRY, "registerDefinitions() publishes types and namespaces once"]] as const;
const SKIPPED = [[REGISTRY, "definitionSpec() derives nothing where that is to be skipped"]] as const;
const OPAQUE = [[ENCODING, "a spec of an unknown type comes back byte for byte"]] as const;
const NAMES = [[REGISTRY, "definitionSpec() refuses"]] as const;
const YAML = [[ENCODING, "resourceYaml() shows metadata in the order of clause 1.36"]] as const;

/** Clauses of those sections that a test shows which is not a row of the suite. */
const ELSEWHERE: Readonly<Record<string, Elsewhere>> = {
  "1.2": [[METADATA, "have a short text"]],
  "1.5": [[METADATA, "new metadata is running"]],
  "1.6": [[METADATA, "versions and phases are read strictly"]],
  "1.12": [[METADATA, "labels are changed by making another map"], [MEMORY, "MemoryState freezes what it stores"]],
  "1.13": [[METADATA, "labels are changed by making another map"]],
  "1.14": [[METADATA, "whatever its times and the order of finalizers"]],
  "1.15": [[METADATA, "resources are equal when metadata and the whole spec are"]],
  "1.16": [[METADATA, "resources are equal when metadata and the whole spec are"]],
  "1.18": [[ENCODING, "encodeSpec() and specYaml() make each form once a version"]],
  "1.19": [["resources/all_test.ts", "no protobuf number twice"], ["mod/schema/protobuf_test.ts", "protobuf carries"]],
  "1.21": [...OPAQUE, ["mod/cli/resource_printer_test.ts", "yaml: separators, events, metadata in its order"]],
  "1.22": OPAQUE,
  "1.24": [[REGISTRY, "DefinitionRegistry finds types by name and by alias"]],
  "1.25": PUBLISHES,
  "1.26": PUBLISHES,
  "1.27": PUBLISHES,
  "1.28": PUBLISHES,
  "1.29": SKIPPED,
  "1.30": [[REGISTRY, "definitionSpec() tells what is sensitive"]],
  "1.31": NAMES,
  "1.32": [...ALIASES, ...SKIPPED],
  "1.33": ALIASES,
  "1.34": [[REGISTRY, "DefinitionRegistry finds types by name and by alias"], [
    "mod/cli/jsonpath_test.ts",
    "jsonPathText()",
  ]],
  "1.35": YAML,
  "1.36": YAML,
  "1.37": [[ENCODING, "parseResourceYaml() refuses"]],
  "1.38": [[ENCODING, "parseResourceYaml() reads what resourceYaml() writes"]],
  "2.1": [[SUITE, "TestCRD: create, get, list, destroy, create again"], [
    SUITE,
    "TestWatch, trace A: the life of one object",
  ], [
    SUITE,
    "TestWatchKind, trace B: bootstrap contents, then changes in order",
  ]],
  "2.2": [[OPERATIONS, "modify() on a state that answers later"], [OPERATIONS, "watchFor() and teardownAndDestroy()"]],
  "2.3": [[REMOTE, "TeardownAndDestroy is one call"], [REMOTE, "a server without the Teardown call"]],
  "2.4": [[MEMORY, "MemoryState freezes what it stores and shares it"]],
  "2.5": [[REMOTE, "errors over the wire carry what errors here carry"], [
    SUITE,
    "TestUpdate: the version must be the stored one, the phase the expected one",
  ]],
  "2.13": [["tests/conformance/crash_test.ts", "a full disk"]],
  "2.18": [[OPERATIONS, "modify() on a state that answers later"]],
  "2.21": [[OPERATIONS, "waits end with the reason of their signal"]],
  "2.22": [[OPERATIONS, "watchFor() and teardownAndDestroy() tell of a watch that broke"]],
  "2.23": [["tests/conformance/remote_watch_test.ts", "is aborted by a lost stream, which is its reason"]],
  "2.40": [["mod/cosi/state_extras_test.ts", "NamespacedState asks once"]],
  "2.41": [[MEMORY, "a watch that falls behind gets an overrun error"]],
  "2.42": [[MEMORY, "bookmarks outside history, of other collections, states and lengths are refused"]],
  "2.43": [[MEMORY, "a watch that falls behind gets an overrun error"]],
  "2.47": [[RESTART, "bookmarks go on after a restart"]],
  "2.50": [[RESTART, "has the same objects, history and next versions after a restart"]],
  "2.53": [[RESTART, "an encrypted record that stands in the place of another"]],
  "2.55": [[RESTART, "keeps at least 1,000 events of a kind"]],
  "2.61": [["mod/cosi/filtered_state_test.ts", "FilteredState asks the rule before each access"]],
  "2.62": [["mod/api/state_service_test.ts", "the access filter on"], [
    "mod/api/state_service_test.ts",
    "the access filter refuses writes of everybody",
  ]],
  "2.63": PUBLISHES,
  "2.64": [["mod/cosi/owned_state_test.ts", "OwnedState writes in the name of its owner"]],
  "10.13": [[MEMORY, "bookmarks outside history, of other collections, states and lengths are refused"]],
  "10.14": [[MEMORY, "a watch that falls behind gets an overrun error"]],
};

/** Clauses that bind nobody here, and why. */
const NOT_BINDING: Readonly<Record<string, string>> = {
  "1.3": "views are types; the compiler checks them",
  "1.17": "how Go makes resources; here a definition does",
  "1.20": "live objects in resources are not offered: a spec is plain data that every state can hold",
  "2.45": "how another version of Go lays out its memory; here the history of each kind is its own",
  "2.46": "how another version of Go lays out its memory; sizes are those of 2.41",
  "2.48": "how another version of Go frees memory; here each history is bounded by itself",
  "2.49": "how another version of Go lays out its store; here one store has all namespaces",
  "2.51": "how Go's Bolt store works; here writes that come together share one commit",
  "2.52": "how Go's Bolt store packs records; here without compression, and bound to their key (2.53)",
  "2.54": "how Go stores keys; here the key comes from outside",
};

/** How many clauses each section has; of section 10 those about the state. */
export const SECTIONS: Readonly<Record<string, number>> = { "1": 38, "2": 64, "10": 20 };

/** Clause → the tests that show it, or why none has to. */
export function clauseTable(): Map<string, { readonly tests: Elsewhere; readonly why: string | undefined }> {
  const table = new Map<string, { tests: (readonly [string, string])[]; why: string | undefined }>();
  const row = (clause: string) => {
    let entry = table.get(clause);
    if (entry === undefined) table.set(clause, entry = { tests: [], why: undefined });
    return entry;
  };
  for (const { name, clauses } of STATE_TESTS) {
    for (const clause of clauses) row(clause).tests.push(["tests/conformance/state_suite_test.ts", name]);
  }
  for (const [clause, tests] of Object.entries(ELSEWHERE)) row(clause).tests.push(...tests);
  for (const [clause, why] of Object.entries(NOT_BINDING)) row(clause).why = why;
  return table;
}
