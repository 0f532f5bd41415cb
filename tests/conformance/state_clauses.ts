import { STATE_TESTS } from "./state_suite.ts";

/** Tests outside the suite: a file and a part of the test's name. */
type Elsewhere = readonly (readonly [file: string, test: string])[];

const ENCODING = "mod/cosi/encoding_test.ts";
const METADATA = "mod/cosi/metadata_test.ts";
const REGISTRY = "mod/cosi/registry_test.ts";
const MEMORY = "mod/cosi/memory_state_test.ts";
const RESTART = "tests/conformance/restart_test.ts";
const ALIASES = [[REGISTRY, "derives the aliases of clause 1.33"]] as const;
const PUBLISHES = [[REGISTRY, "registerDefinitions() publishes types and namespaces once"]] as const;
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
  "1.22": [[ENCODING, "a spec of an unknown type comes back byte for byte"]],
  "1.24": [[REGISTRY, "DefinitionRegistry finds types by name and by alias"]],
  "1.25": PUBLISHES,
  "1.26": PUBLISHES,
  "1.27": PUBLISHES,
  "1.28": PUBLISHES,
  "1.31": NAMES,
  "1.32": ALIASES,
  "1.33": ALIASES,
  "1.34": [[REGISTRY, "DefinitionRegistry finds types by name and by alias"], [
    "mod/cli/jsonpath_test.ts",
    "jsonPathText()",
  ]],
  "1.35": YAML,
  "1.36": YAML,
  "1.37": [[ENCODING, "parseResourceYaml() refuses"]],
  "1.38": [[ENCODING, "parseResourceYaml() reads what resourceYaml() writes"]],
  "2.4": [[MEMORY, "MemoryState freezes what it stores and shares it"]],
  "2.13": [["tests/conformance/crash_test.ts", "a full disk"]],
  "2.40": [["mod/cosi/state_extras_test.ts", "NamespacedState asks once"]],
  "2.41": [[MEMORY, "a watch that falls behind gets an overrun error"]],
  "2.42": [[MEMORY, "bookmarks outside history, of other collections, states and lengths are refused"]],
  "2.43": [[MEMORY, "a watch that falls behind gets an overrun error"]],
  "2.47": [[RESTART, "bookmarks go on after a restart"]],
  "2.50": [[RESTART, "has the same objects, history and next versions after a restart"]],
  "2.53": [[RESTART, "an encrypted record that stands in the place of another"]],
  "2.55": [[RESTART, "keeps at least 1,000 events of a kind"]],
  "2.61": [["mod/cosi/filtered_state_test.ts", "FilteredState asks the rule before each access"]],
  "2.63": PUBLISHES,
  "2.64": [["mod/cosi/owned_state_test.ts", "OwnedState writes in the name of its owner"]],
  "10.13": [[MEMORY, "bookmarks outside history, of other collections, states and lengths are refused"]],
  "10.14": [[MEMORY, "a watch that falls behind gets an overrun error"]],
};

/** Clauses that bind nobody here, and why. */
const NOT_BINDING: Readonly<Record<string, string>> = {
  "1.3": "views are types; the compiler checks them",
  "1.17": "how Go makes resources",
  "1.19": "how Go encodes without a schema; here every type has one",
  "1.20": "live objects in resources are not offered",
  "1.21": "how Go keeps YAML for display",
  "1.29": "a gap of the message, kept: the flag does not travel",
  "1.30": "the definition has a yes or no in place of a text",
  "2.1": "how Go splits the interface",
  "2.2": "how Go splits the interface",
  "2.3": "how Go finds optional parts",
  "2.5": "how Go tells errors apart; here by class",
  "2.45": "how another version of Go lays out its memory",
  "2.46": "how another version of Go lays out its memory",
  "2.48": "how another version of Go lays out its memory",
  "2.49": "how another version of Go lays out its memory",
  "2.51": "how Go's Bolt store works",
  "2.52": "how Go's Bolt store works",
  "2.54": "how Go stores keys; here the key comes from outside",
  "2.62": "how Talos filters; shown by the tests of mod/api",
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
