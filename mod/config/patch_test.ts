import { deepEqual, ok, strictEqual, throws } from "node:assert/strict";
import { ConfigError, decodeConfig, encodeConfig, patchConfig, plainDocument } from "./mod.ts";

const DATA = new URL("../../tests/data/", import.meta.url);
const read = (path: string) => Deno.readTextFileSync(new URL(path, DATA));

/** What a config says: without keys that are empty, which tools write or leave out as they like. */
function meaning(text: string): unknown {
  return decodeConfig(text).documents.map((document) => pruned(plainDocument(document)));
}
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, pruned(member)] as const);
  return Object.fromEntries(
    members.filter(([, member]) =>
      !(typeof member === "object" && member !== null && Object.keys(member).length === 0)
    ),
  );
}

for (const folder of [...Deno.readDirSync(new URL("patches/", DATA))].map(({ name }) => name).toSorted()) {
  const files = [...Deno.readDirSync(new URL(`patches/${folder}/`, DATA))].map(({ name }) => name).toSorted();
  const patched = () =>
    files.filter((name) => name.startsWith("patch")).reduce(
      (config, name) => patchConfig(config, read(`patches/${folder}/${name}`)),
      read(read(`patches/${folder}/base`).trim()),
    );
  if (files.includes("result.yaml")) {
    Deno.test(`patchConfig() gives what other tools give: ${folder}`, () => {
      deepEqual(meaning(patched()), meaning(read(`patches/${folder}/result.yaml`)));
    });
  } else Deno.test(`patchConfig() refuses ${folder}`, () => void throws(patched, ConfigError));
}

const BASE = read("config/v1.14/worker.yaml");
const link = (body: string) => `apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\n${body}`;

Deno.test("patchConfig() leaves alone what a patch does not set", () => {
  const kubelet = patchConfig(BASE, "apiVersion: v1alpha1\nkind: KubeletConfig\nextraArgs: {v: '4'}\n");
  ok(kubelet.includes("image: ghcr.io/siderolabs/kubelet:v1.37.0-rc.1"));
  strictEqual(patchConfig(BASE, "# nothing\n"), encodeConfig(decodeConfig(BASE)));
});

Deno.test("patchConfig() takes out parts of items", () => {
  const text = link("mtu: 1400\naddresses: [{address: 10.0.0.5/24, routePriority: 3}, {address: 10.0.0.6/24}]\n");
  strictEqual(
    patchConfig(text, link("mtu: 1500\naddresses:\n  - {address: 10.0.0.6/24, $patch: delete}\n")),
    encodeConfig(decodeConfig(link("mtu: 1500\naddresses: [{address: 10.0.0.5/24, routePriority: 3}]\n"))),
  );
});

const REFUSED: Record<string, string> = {
  "a patch that deletes the v1alpha1 document": "$patch: delete\n",
  "a patch that touches a document twice": `${link("mtu: 1\n")}---\n${link("up: true\n")}`,
  "an unknown operation": '[{"op":"merge","path":"/machine"}]',
  "a path that leads nowhere": '[{"op":"replace","path":"/machine/nope/x","value":1}]',
  "an operation that makes an unknown key": '[{"op":"add","path":"/machine/nope","value":1}]',
  "a move into itself": '[{"op":"move","from":"/machine","path":"/machine/network"}]',
  "a prototype": '[{"op":"add","path":"/__proto__/x","value":1}]',
};
for (const [what, patch] of Object.entries(REFUSED)) {
  Deno.test(`patchConfig() refuses ${what}`, () => {
    throws(() => patchConfig(read("config/v1.7/worker.yaml"), patch), ConfigError);
  });
}

Deno.test("patchConfig() moves, copies and tests with JSON patches in YAML", () => {
  const patched = patchConfig(
    "machine: {type: worker, certSANs: [a, b]}\n",
    "- {op: test, path: /machine/certSANs/1, value: b}\n- {op: add, path: /machine/certSANs/0, value: c}\n" +
      "- {op: move, from: /machine/certSANs/2, path: /machine/token}\n- {op: copy, from: /machine/token, path: /cluster}\n" +
      "- {op: remove, path: /cluster}\n",
  );
  deepEqual(decodeConfig(patched).v1alpha1, { machine: { type: "worker", certSANs: ["c", "a"], token: "b" } });
});
