import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { GLOBAL_FLAGS, type Globals } from "./command.ts";
import { formatPrivateKey, newPrivateKey } from "../pki/mod.ts";
import { fallbacks } from "./flags.ts";
import {
  credentialsOf,
  loadConnection,
  loadTalosconfig,
  mergeTalosconfig,
  readTalosconfig,
  selectContext,
  type Talosconfig,
  TalosconfigError,
  talosconfigPaths,
} from "./talosconfig.ts";
import { writeTalosconfig } from "./write_talosconfig.ts";

const FIXTURE = new URL("../../tests/data/config/v1.12/talosconfig", import.meta.url).pathname;

function from(globals: Partial<Globals>, variables: Record<string, string> = {}) {
  const all = { ...fallbacks(GLOBAL_FLAGS), ...globals } as Globals;
  return { globals: all, env: (name: string) => variables[name] };
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function isAt(path: string, field: string): (error: unknown) => boolean {
  return (error) => error instanceof TalosconfigError && error.path === path && error.field === field;
}

Deno.test("talosconfigPaths() flag, variable, home, service account", () => {
  const env = { TALOSCONFIG: "/v", HOME: "/home/u" };
  deepStrictEqual(talosconfigPaths(from({ talosconfig: "/f" }, env)), ["/f"]);
  deepStrictEqual(talosconfigPaths(from({}, env)), ["/v"]);
  deepStrictEqual(talosconfigPaths(from({}, { HOME: "/home/u" })), [
    "/home/u/.talos/config",
    "/var/run/secrets/talos.dev/config",
  ]);
  const named = (TALOS_HOME: string) => talosconfigPaths(from({}, { HOME: "/home/u", TALOS_HOME }))[0];
  deepStrictEqual([named("/talos"), named("talos")], ["/talos/config", "/home/u/.talos/config"]);
  deepStrictEqual(talosconfigPaths(from({})), ["/var/run/secrets/talos.dev/config"]);
});

Deno.test("loadTalosconfig() finds the file at home and says where it looked", () =>
  withFolder(async (home) => {
    const path = `${home}/.talos/config`;
    await rejects(loadTalosconfig(from({ talosconfig: `${home}/x` })), isAt(`${home}/x`, ""));
    await rejects(loadTalosconfig(from({}, { HOME: home })), isAt(path, ""));
    await writeTalosconfig({ path, config: await readTalosconfig(FIXTURE) });
    strictEqual((await loadTalosconfig(from({}, { HOME: home }))).config.context, "demo");
  }));

const broken: { name: string; text: string; field: string }[] = [
  { name: "no YAML", text: "contexts: [", field: "" },
  { name: "text instead of a map", text: "hello", field: "" },
  {
    name: "endpoints that are no list",
    text: "contexts: { demo: { endpoints: 10.5.0.2 } }",
    field: "contexts.demo.endpoints",
  },
  {
    name: "an endpoint that is no text",
    text: "contexts: { demo: { endpoints: [5] } }",
    field: "contexts.demo.endpoints.0",
  },
];
for (const { name, text, field } of broken) {
  Deno.test(`readTalosconfig() refuses ${name}`, () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/c`, text);
      await rejects(readTalosconfig(`${folder}/c`), isAt(`${folder}/c`, field));
    }));
}

Deno.test("readTalosconfig() takes an empty file and contexts set to null", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/c`, "");
    deepStrictEqual(await readTalosconfig(`${folder}/c`), { context: "", contexts: {} });
    await Deno.writeTextFile(`${folder}/c`, "context: a\ncontexts: { a: ~, b: { nodes: ~ } }\n");
    deepStrictEqual(await readTalosconfig(`${folder}/c`), { context: "a", contexts: { a: {}, b: {} } });
  }));

Deno.test("selectContext() wants a context that exists", () => {
  const config: Talosconfig = { context: "demo", contexts: { demo: {}, lab: {} } };
  strictEqual(selectContext({ path: "/c", config }).name, "demo");
  strictEqual(selectContext({ path: "/c", config }, "lab").name, "lab");
  throws(() => selectContext({ path: "/c", config }, "dmo"), isAt("/c", "contexts.dmo"));
  throws(() => selectContext({ path: "/c", config }, "constructor"), isAt("/c", "contexts.constructor"));
  throws(() => selectContext({ path: "/c", config: { ...config, context: "" } }), isAt("/c", "context"));
});

Deno.test("mergeTalosconfig() renames clashes, keeps equal ones, follows the current context", () => {
  const into: Talosconfig = {
    context: "a",
    contexts: { a: { crt: "1" }, "a-1": { crt: "2" }, same: { ca: "x", crt: "y" } },
  };
  const other: Talosconfig = { context: "a", contexts: { a: { crt: "3" }, same: { crt: "y", ca: "x" }, b: {} } };
  const { config, renamed } = mergeTalosconfig(into, other);
  deepStrictEqual(renamed, [{ from: "a", to: "a-2" }]);
  strictEqual(config.context, "a-2");
  deepStrictEqual(Object.keys(config.contexts), ["a", "a-1", "same", "a-2", "b"]);
  strictEqual(mergeTalosconfig(into, { context: "", contexts: {} }).config.context, "a");
});

Deno.test("credentialsOf() decodes PEM, the key as PKCS #8; a broken field is named", async () => {
  const config = await readTalosconfig(FIXTURE);
  const { caPem, crtPem, keyPem } = await credentialsOf({ path: "/c", config });
  for (const pem of [caPem, crtPem]) ok(pem.startsWith("-----BEGIN CERTIFICATE-----\n"));
  ok(keyPem.startsWith("-----BEGIN PRIVATE KEY-----\n"));
  const change = (fields: object) => ({ ...config, contexts: { demo: { ...config.contexts.demo, ...fields } } });
  await rejects(credentialsOf({ path: "/c", config: change({ key: "AAAA" }) }), isAt("/c", "contexts.demo.key"));
  await rejects(credentialsOf({ path: "/c", config: change({ ca: undefined }) }), isAt("/c", "contexts.demo.ca"));
  const strange = btoa(formatPrivateKey(newPrivateKey("ed25519")));
  await rejects(credentialsOf({ path: "/c", config: change({ key: strange }) }), isAt("/c", "contexts.demo.key"));
});

Deno.test("loadConnection() prefers flags, falls back to nodes as endpoints", async () => {
  await rejects(loadConnection(from({ talosconfig: FIXTURE })), isAt(FIXTURE, "contexts.demo.endpoints"));
  const given = await loadConnection(from({ talosconfig: FIXTURE, nodes: ["10.5.0.2"] }));
  deepStrictEqual([given.contextName, given.endpoints, given.nodes], ["demo", ["10.5.0.2"], ["10.5.0.2"]]);
  const both = await loadConnection(from({ talosconfig: FIXTURE, nodes: ["10.5.0.2"], endpoints: ["10.5.0.9"] }));
  deepStrictEqual([both.endpoints, both.nodes], [["10.5.0.9"], ["10.5.0.2"]]);
});
