/** What a running node does with configs that it must not take, or not for good. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { removeIfThere } from "../../image/paths.ts";
import {
  ACTIVE_MACHINE_CONFIG_ID,
  MachineConfigs,
  PERSISTENT_MACHINE_CONFIG_ID,
} from "../../resources/config/machine_config.ts";
import { CONFIG_PATH, LiveNode } from "./live_node.ts";

const HEAD = "---\napiVersion: v1alpha1\nkind: ";
const ADDRESS = "10.98.210.1/24";
const ADDRESS_DOCUMENT = `${HEAD}LinkConfig\nname: eth0\naddresses:\n    - address: ${ADDRESS}\n`;

/** What `apply-config` refuses, and the words that it does so with. */
const REFUSED: readonly { name: string; change: (config: string) => string; words: readonly RegExp[] }[] = [
  {
    name: "a key that nobody knows",
    change: (config) => config.replace("    certSANs:", "    certSAN:"),
    words: [/line 10, column 5: machine\.certSAN: no such key, did you mean "certSANs"\?/],
  },
  {
    name: "a kind that nobody knows",
    change: (config) => `${config}${HEAD}LinkConfg\nname: eth0\n`,
    words: [/did you mean "LinkConfig"\?/, /line \d+, column \d+/],
  },
  {
    name: "several wrong values at once, all told",
    change: (config) =>
      `${config}${HEAD}LinkConfig\nname: eth0\nmtu: many\n${HEAD}ResolverConfig\nnameservers:\n    - address: 10.0.0.300\n`,
    words: [/line 9\d, column 6: .*mtu: /, /line \d+, column \d+: .*10\.0\.0\.300/],
  },
  {
    name: "documents that contradict each other",
    change: (config) => config.replace("    network: {}", "    network:\n        hostname: twice"),
    words: [/hostname/i],
  },
  {
    name: "a text that is no config",
    change: () => "just words\n",
    words: [/Cannot apply the config to 10\.98\.2\.2: /],
  },
  { name: "no v1alpha1 document", change: () => ADDRESS_DOCUMENT.slice(4), words: [/it has no v1alpha1 document/] },
];

Deno.test("a node takes only configs that are right, and only as it is told", async (t) => {
  await using node = await LiveNode.start();
  await using files = new AsyncDisposableStack();
  const path = await Deno.makeTempFile({ suffix: ".yaml" });
  files.defer(() => removeIfThere(path));
  /** Applies a text through the client. */
  const applied = async (text: string, ...flags: string[]) => {
    await Deno.writeTextFile(path, text);
    return await node.ctl("apply-config", "-f", path, ...flags);
  };
  /** Everything that may change only when a config is taken. */
  const taken = async () => {
    const { namespace, type } = MachineConfigs;
    const resources = await node.resources.list({ namespace, type });
    const { mtime, ino } = await Deno.stat(CONFIG_PATH);
    return {
      resources: resources.map(({ metadata: { id, version }, spec }) => ({ id, version, spec })),
      file: { text: await Deno.readTextFile(CONFIG_PATH), mtime, ino },
    };
  };
  const active = async () => (await node.spec(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID))?.yaml;
  const persistent = async () => (await node.spec(MachineConfigs, PERSISTENT_MACHINE_CONFIG_ID))?.yaml;

  for (const { name, change, words } of REFUSED) {
    await t.step(`refused: ${name}`, async () => {
      const before = await taken();
      const { code, text } = await applied(change(node.config));
      strictEqual(code, 1, text);
      match(text, /^error: Cannot apply the config to 10\.98\.2\.2: /);
      for (const word of words) match(text, word);
      deepStrictEqual(await taken(), before);
    });
  }

  await t.step("refused: a file that is not there, before any node is called", async () => {
    const { code, text } = await node.ctl("apply-config", "-f", "/nowhere.yaml");
    deepStrictEqual({ code, text }, {
      code: 1,
      text: "error: Cannot read the config /nowhere.yaml: the file does not exist\n",
    });
    strictEqual((await node.ctl("apply-config")).code, 2);
  });

  await t.step("dry run: shows what would change, without secrets, and changes nothing", async () => {
    const before = await taken();
    const other = node.config.replace(/^ {4}token: .*$/m, "    token: abcdef.0123456789abcdef");
    const { code, text } = await applied(`${other}${ADDRESS_DOCUMENT}`, "--dry-run");
    strictEqual(code, 0, text);
    match(text, /Dry run: nothing was changed\. Otherwise: Applied without a reboot\.$/m);
    match(
      text,
      /^\+\+\+ LinkConfig\/eth0\n@@ -0,0 \+1,5 @@\n\+apiVersion: v1alpha1\n\+kind: LinkConfig\n\+name: eth0$/m,
    );
    match(text, /^- {4}token: "?\*{6} \(1\)"?\n\+ {4}token: "?\*{6} \((?!1\))\d+\)"?$/m);
    doesNotMatch(text, /abcdef\.0123456789abcdef/);
    for (const [, secret = ""] of node.config.matchAll(/^ +(?:token|key|secret): (.{16,})$/gm)) {
      ok(!text.includes(secret), "a secret is shown");
    }
    deepStrictEqual(await taken(), before);
    const same = await applied(node.config, "--dry-run");
    match(same.text, /The config says what the machine has already\.$/m);
    const staged = await applied(node.config, "--dry-run", "--mode", "staged");
    match(staged.text, /nothing was changed\. Otherwise: Staged, takes effect at the next boot\.$/m);
  });

  await t.step("staged: for the next boot only", async () => {
    const text = `${node.config}${ADDRESS_DOCUMENT}`;
    const { code, text: output } = await applied(text, "--mode", "staged");
    strictEqual(code, 0, output);
    match(output, /Staged, takes effect at the next boot$/m);
    deepStrictEqual([await persistent(), await active()], [text, node.config]);
    strictEqual(await Deno.readTextFile(CONFIG_PATH), text);
    ok(!node.addresses().includes(ADDRESS));
    await node.apply(node.config);
    strictEqual(await persistent(), node.config);
  });

  await t.step("try: takes effect, and the old one is back after the time given", async () => {
    const text = `${node.config}${ADDRESS_DOCUMENT}`;
    const start = performance.now();
    const { code, text: output } = await applied(text, "--mode", "try", "--timeout", "3s");
    strictEqual(code, 0, output);
    match(output, /Applied for 3 s; applied again within that time, it stays$/m);
    await node.inKernel(() => ok(node.addresses().includes(ADDRESS)));
    deepStrictEqual([await persistent(), await active()], [node.config, text]);
    strictEqual(await Deno.readTextFile(CONFIG_PATH), node.config);
    await node.inKernel(() => ok(!node.addresses().includes(ADDRESS)));
    ok(performance.now() - start > 3000);
    strictEqual(await active(), node.config);
  });

  await t.step("try, then applied again: stays", async () => {
    const text = `${node.config}${ADDRESS_DOCUMENT}`;
    await using log = node.follow("logs", "machined", "-f", "--tail", "0");
    await node.apply(text, "try", 1000);
    await node.apply(text);
    deepStrictEqual([await persistent(), await active()], [text, text]);
    // A second trial, of the config before, whose end shows that the end of the first one has passed.
    await node.apply(node.config, "try", 1500);
    await node.inKernel(() => ok(!node.addresses().includes(ADDRESS)));
    await log.until(/the tried config was not confirmed in time/);
    await node.inKernel(() => ok(node.addresses().includes(ADDRESS)));
    deepStrictEqual([await persistent(), await active()], [text, text]);
    await node.apply(node.config);
  });
});
