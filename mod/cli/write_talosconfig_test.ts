import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readTalosconfig, type Talosconfig } from "./talosconfig.ts";
import { writeTalosconfig } from "./write_talosconfig.ts";

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("writeTalosconfig() is private, keeps what it does not know, leaves a link a link", () =>
  withFolder(async (folder) => {
    const [real, link] = [`${folder}/real`, `${folder}/link`];
    const text =
      "context: a\ncontexts:\n    a:\n        endpoints:\n            - 10.5.0.2\n        cluster: lab\nnew: 1\n";
    await Deno.writeTextFile(real, text, { mode: 0o644 });
    await Deno.symlink(real, link);
    await writeTalosconfig({ path: link, config: await readTalosconfig(link) });
    strictEqual(await Deno.readTextFile(real), text);
    ok((await Deno.lstat(link)).isSymlink);
    strictEqual(((await Deno.stat(real)).mode ?? 0) & 0o777, 0o600);
    deepStrictEqual((await Array.fromAsync(Deno.readDir(folder))).length, 2);
  }));

/** What a file comes to hold when its config is changed. */
async function changed(text: string, change: (config: Talosconfig) => void): Promise<string> {
  let result = "";
  await withFolder(async (folder) => {
    const path = `${folder}/c`;
    await Deno.writeTextFile(path, text);
    const config = structuredClone(await readTalosconfig(path));
    change(config);
    await writeTalosconfig({ path, config });
    deepStrictEqual(await readTalosconfig(path), config);
    result = await Deno.readTextFile(path);
  });
  return result;
}

const FOREIGN = `# the lab upstairs
context: b
other: 0x10
contexts:
    b:
        endpoints: [ 10.5.0.2 ] # behind the switch
        serial: 12345678901234567890
        since: 2024-01-01
        spare: null
    7:
        weight: 1.10
    a:
`;

Deno.test("writeTalosconfig() changes nothing but what has changed: comments, order and numbers stay", async () => {
  strictEqual(await changed(FOREIGN, () => {}), FOREIGN);
  const text = await changed(FOREIGN, ({ contexts }) => {
    contexts.b = { ...contexts.b, nodes: ["10.5.0.3"] };
    delete contexts[7];
    contexts.a = { endpoints: ["10.5.0.4"] };
  });
  const nodes = "        nodes:\n            - 10.5.0.3\n";
  const expected = FOREIGN.replace("spare: null\n", `spare: null\n${nodes}`).replace(/ {4}7:\n.*\n/, "");
  strictEqual(text, `${expected}        endpoints:\n            - 10.5.0.4\n`);
});

Deno.test("writeTalosconfig() gives each context its own when they shared an anchor", async () => {
  const shared = "context: a\ncontexts:\n    a: &x\n        ca: y\n    b: *x\n";
  const text = await changed(shared, ({ contexts }) => contexts.a = { ...contexts.a, nodes: ["10.5.0.3"] });
  strictEqual(text.includes("*"), false);
});

Deno.test({
  name: "writeTalosconfig() leaves a user's file to the user, when root writes",
  ignore: Deno.uid() !== 0, // nobody else can give a file away, so there is nothing to keep
  fn: () =>
    withFolder(async (folder) => {
      const path = `${folder}/c`;
      await Deno.writeTextFile(path, FOREIGN);
      await Deno.chown(path, 1234, 4321);
      await writeTalosconfig({ path, config: await readTalosconfig(path) });
      const { uid, gid, mode } = await Deno.stat(path);
      deepStrictEqual([uid, gid, (mode ?? 0) & 0o777], [1234, 4321, 0o600]);
    }),
});
