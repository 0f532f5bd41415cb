import { RUNTIME_TESTS } from "./runtime_suite.ts";

/** Tests outside the suite: a file and a part of the test's name. */
type Elsewhere = readonly (readonly [file: string, test: string])[];

const RUNTIME = "mod/cosi/runtime_test.ts";
const QUEUE = "mod/cosi/q_runner_test.ts";
const Q_LIFE = "mod/cosi/q_lifecycle_test.ts";
const Q_INPUTS = "mod/cosi/q_input_feed_test.ts";
const RUNNER = "mod/cosi/controller_runner_test.ts";
const CACHE = "mod/cosi/cache_test.ts";
const OWNER = "mod/cosi/runtime_owner_test.ts";
const ACCESS = "mod/cosi/runtime_access_test.ts";
const TRANSFORM = "mod/cosi/transform_test.ts";
const GENERIC = "mod/cosi/generic_test.ts";
const OPTIONS = "mod/cosi/generic_options_test.ts";
const TYPES = "mod/cosi/types_test.ts";
const FOLLOWS = [[TRANSFORM, "defineTransform() follows its inputs"]] as const;
const HOLDS = [[TRANSFORM, "defineTransform() holds its inputs until"]] as const;
const HOOKS = [[TRANSFORM, "defineTransform() runs its hooks around each pass"]] as const;
const ANEW = [[TRANSFORM, "defineTransform() makes an output anew that somebody else ends"]] as const;
const IN_THE_WAY = [[TRANSFORM, "lets go of inputs although another's output is in the way"]] as const;
const Q_FOLLOWS = [[GENERIC, "defineQTransform() follows inputs and mapped inputs"]] as const;
const CLEANUP = [[GENERIC, "defineCleanup() waits for objects and removes others"]] as const;

/** Clauses that a test shows which is not a row of the suite. */
const ELSEWHERE: Readonly<Record<string, Elsewhere>> = {
  "3.5": [[RUNNER, "a run that ends because the runtime stops has not failed"]],
  "3.6": [[RUNNER, "delays between tries start anew after a success"]],
  "3.10": [[QUEUE, "mapped inputs queue primary objects"]],
  "3.13": [["mod/cosi/reconcile_queue_test.ts", "forgets when an entry was due that has run since"]],
  "3.14": [[QUEUE, "failures, skips and requeues"], [QUEUE, "the backoff of an object starts anew after a success"]],
  "3.16": [[QUEUE, "mapInput may name no other object than the one of a primary input"]],
  "3.17": [[Q_INPUTS, "primary objects of a cached kind are listed from the cache"]],
  "3.18": [[Q_LIFE, "the hooks run beside the queue and after it"]],
  "3.19": [[QUEUE, "a primary input may be one object"]],
  "3.20": [[Q_LIFE, "for a wrong kind of input"], [TYPES, "defineQController() lets only declared access compile"]],
  "3.22": [[OWNER, "does not mute another on the same kind"]],
  "3.25": [[RUNNER, "inputs that were replaced wake no more"]],
  "3.30": [[OWNER, "a clean-up waits for who holds an output"], [
    ACCESS,
    "tracking outputs twice, or not at all before the clean-up",
  ]],
  "3.31": [[OWNER, "all controllers share one watch of a kind"]],
  "3.32": [[CACHE, "a controller is never woken before its cache knows why"]],
  "3.33": [[RUNTIME, "a broken watch is opened again"], [
    Q_INPUTS,
    "a broken watch leaves no object of a queue unseen",
  ]],
  "3.34": [[OWNER, "wakes it again"]],
  "3.35": [[CACHE, "cached kinds are read from memory"]],
  "3.36": [[CACHE, "wait for its bootstrap"]],
  "3.38": [[CACHE, "a controller reads what it wrote"]],
  "3.39": [[CACHE, "cached kinds are read from memory, filtered"]],
  "3.42": [...HOOKS, [ACCESS, "a finalizer that is there already is no write"]],
  "3.40": [[CACHE, "signals of the end of cached objects open no watch"]],
  "3.43": [[RUNNER, "a runtime runs once"]],
  "3.44": [[Q_LIFE, "unregister() ends a controller and frees its types"]],
  "3.45": [[RUNTIME, "register() refuses what does not fit"], [OWNER, "knows its dependencies"]],
  "3.46": [["mod/cli/dependency_graph_test.ts", "dotText() tells kinds of arrows apart"]],
  "3.26": [["mod/cosi/access_rules_test.ts", "AccessRules allow what 3-D says"]],
  "3.28": [[ACCESS, "modify minds the phase, keeps what it is not told of"]],
  "3.27": [[OWNER, "a controller may write objects that nobody owns"]],
  "4.1": [...FOLLOWS, ...HOOKS, ...HOLDS],
  "4.2": [[OPTIONS, "a transform may share its outputs"], [GENERIC, "ignores the end of its inputs"], [
    GENERIC,
    "filters its inputs, writes more outputs",
  ]],
  "4.3": ANEW,
  "4.4": [...HOOKS, ...IN_THE_WAY, [TRANSFORM, "keeps the output of an input that cannot be mapped"]],
  "4.5": [[GENERIC, "keeps what is skipped"], [TRANSFORM, "holds an input before it maps it"]],
  "4.6": HOLDS,
  "4.7": [
    ["mod/cosi/output_sync_test.ts", "waits for who holds an object, wanted or not"],
    [ACCESS, "sync tears down what others hold, and makes anew"],
    ...ANEW,
    ...HOLDS,
  ],
  "4.8": [
    ...HOLDS,
    ...IN_THE_WAY,
    [OWNER, "lets go of an input whose output is another's"],
    [TRANSFORM, "knows after a restart what it does not know"],
  ],
  "4.9": [["mod/cosi/output_sync_test.ts", "tries everything, and tells of what is another's"], [
    ACCESS,
    "sync leaves foreign objects alone and reports one that is in the way",
  ]],
  "4.10": [[TRANSFORM, "leaves out a pass that its preHook skips"], [QUEUE, "failures, skips and requeues"], [
    GENERIC,
    "keeps what is skipped",
  ], ...CLEANUP],
  "4.11": Q_FOLLOWS,
  "4.12": [...Q_FOLLOWS, [OPTIONS, "a queued transform maps what a mapped input names"]],
  "4.13": [...Q_FOLLOWS, [OPTIONS, "the same id unless told otherwise"]],
  "4.14": [[OWNER, "knows its dependencies"]],
  "4.15": [[OWNER, "ignores inputs without an output"]],
  "4.16": Q_FOLLOWS,
  "4.17": [[GENERIC, "writes before a requeue"]],
  "4.18": Q_FOLLOWS,
  "4.19": [[GENERIC, "others hold a tearing down input"], [GENERIC, "makes nothing of an input that is going"]],
  "4.20": [[GENERIC, "tries a lost conflict again"]],
  "4.22": CLEANUP,
  "4.23": CLEANUP,
  "4.24": CLEANUP,
  "4.25": [[OPTIONS, "a destroying controller is named for its type"], [
    GENERIC,
    "defineDestroy() ends what nobody owns or holds",
  ]],
};

/** Clauses that bind nobody here, and why. */
const NOT_BINDING: Readonly<Record<string, string>> = {
  "3.47": "typed wrappers; here definitions carry the types",
  "3.48": "helpers for tests of Go",
  "3.49": "a utility of Go that nothing here needs",
  "3.50": "utilities of Go",
  "4.21": "a transform's output has one namespace; a mapped input of the same type in another one has mapInput",
};

/** How many clauses each section has; of section 10 those about the runtime. */
export const RUNTIME_SECTIONS: Readonly<Record<string, readonly [first: number, last: number]>> = {
  "3": [1, 50],
  "4": [1, 25],
  "10": [21, 33],
};

/** Clause → the tests that show it, or why none has to. */
export function runtimeClauseTable(): Map<string, { readonly tests: Elsewhere; readonly why: string | undefined }> {
  const table = new Map<string, { tests: (readonly [string, string])[]; why: string | undefined }>();
  const row = (clause: string) => {
    let entry = table.get(clause);
    if (entry === undefined) table.set(clause, entry = { tests: [], why: undefined });
    return entry;
  };
  for (const { name, clauses } of RUNTIME_TESTS) {
    for (const clause of clauses) row(clause).tests.push(["tests/conformance/runtime_suite_test.ts", name]);
  }
  for (const [clause, tests] of Object.entries(ELSEWHERE)) row(clause).tests.push(...tests);
  for (const [clause, why] of Object.entries(NOT_BINDING)) row(clause).why = why;
  return table;
}
