/** What a person sees of a running node through the client: resources, their changes, logs and events. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { LiveNode } from "./live_node.ts";

/** What `get TYPE` has to print: its heading, and lines that must be among the others; runs of blanks count as one. */
const TABLES: readonly { words: string; heading: string; lines: readonly RegExp[] }[] = [
  {
    words: "addresses AddressStatuses.net.talos.dev",
    heading: "NODE NAMESPACE TYPE ID VERSION ADDRESS LINK",
    lines: [
      /^10\.98\.2\.2 network AddressStatus eth0\/10\.98\.2\.2\/24 \d+ 10\.98\.2\.2\/24 eth0$/,
      /^10\.98\.2\.2 network AddressStatus lo\/127\.0\.0\.1\/8 \d+ 127\.0\.0\.1\/8 lo$/,
    ],
  },
  {
    words: "routes route",
    heading: "NODE NAMESPACE TYPE ID VERSION DESTINATION GATEWAY LINK METRIC",
    lines: [/^10\.98\.2\.2 network RouteStatus inet4\/10\.98\.2\.1\/\/1024 \d+ 10\.98\.2\.1 eth0 1024$/],
  },
  {
    words: "links link",
    heading: "NODE NAMESPACE TYPE ID VERSION ALIAS TYPE KIND HW ADDR OPER STATE LINK STATE",
    lines: [
      /^10\.98\.2\.2 network LinkStatus eth0 \d+ ether veth [0-9a-f:]{17} up true$/,
      /^10\.98\.2\.2 network LinkStatus lo \d+ loopback 00:00:00:00:00:00 unknown true$/,
    ],
  },
  {
    words: "hostname",
    heading: "NODE NAMESPACE TYPE ID VERSION HOSTNAME DOMAINNAME",
    lines: [/^10\.98\.2\.2 network HostnameStatus hostname \d+ tnode$/],
  },
  {
    words: "nodeaddresses na",
    heading: "NODE NAMESPACE TYPE ID VERSION ADDRESSES SORTALGORITHM",
    lines: ["accumulative", "current", "default", "routed"].map((id) =>
      new RegExp(`^10\\.98\\.2\\.2 network NodeAddress ${id} \\d+ \\["10\\.98\\.2\\.2/24"\\] v1$`)
    ),
  },
  {
    words: "resolvers",
    heading: "NODE NAMESPACE TYPE ID VERSION RESOLVERS SEARCH DOMAINS",
    lines: [/^10\.98\.2\.2 network ResolverStatus resolvers \d+ \["1\.1\.1\.1","8\.8\.8\.8"\] \[\]$/],
  },
  {
    words: "services svc",
    heading: "NODE NAMESPACE TYPE ID VERSION RUNNING HEALTHY HEALTH UNKNOWN",
    lines: [
      /^10\.98\.2\.2 runtime Service apid \d+ true false true$/,
      /^10\.98\.2\.2 runtime Service containerd \d+ true true false$/,
      /^10\.98\.2\.2 runtime Service etcd \d+ true true false$/,
    ],
  },
  {
    words: "machinestatus",
    heading: "NODE NAMESPACE TYPE ID VERSION STAGE READY",
    lines: [/^10\.98\.2\.2 runtime MachineStatus machine \d+ running true$/],
  },
  {
    words: "kernelparams sysctls",
    heading: "NODE NAMESPACE TYPE ID VERSION CURRENT DEFAULT UNSUPPORTED",
    lines: [/^10\.98\.2\.2 runtime KernelParamStatus proc\.sys\.net\.ipv4\.ip_forward \d+ 1 [01] false$/],
  },
  {
    words: "mc machineconfig",
    heading: "NODE NAMESPACE TYPE ID VERSION",
    lines: [
      /^10\.98\.2\.2 config MachineConfig persistent 1$/,
      /^10\.98\.2\.2 config MachineConfig v1alpha1 1$/,
    ],
  },
  {
    words: "ns namespaces",
    heading: "NODE NAMESPACE TYPE ID VERSION",
    lines: [/^10\.98\.2\.2 meta Namespace network 1$/, /^10\.98\.2\.2 meta Namespace network-config 1$/],
  },
  {
    words: "rd api-resources",
    heading: "NODE NAMESPACE TYPE ID VERSION ALIASES",
    lines: [
      /^10\.98\.2\.2 meta ResourceDefinition addressstatuses\.net\.talos\.dev 1 address addresses addressstatus as$/,
    ],
  },
];

/** Lines without trailing blanks, runs of blanks as one. */
function linesOf(text: string): string[] {
  return text.trimEnd().split("\n").map((line) => line.trim().replace(/ +/g, " "));
}

Deno.test("a node as its client shows it", async (t) => {
  await using node = await LiveNode.start();
  await node.healthy();
  for (const { words, heading, lines } of TABLES) {
    const [first = "", ...aliases] = words.split(" ");
    await t.step(`get ${first}`, async () => {
      const { code, text } = await node.ctl("get", first);
      strictEqual(code, 0, text);
      const [head, ...rest] = linesOf(text);
      strictEqual(head, heading);
      for (const line of lines) ok(rest.some((one) => line.test(one)), `${line} is not in\n${text}`);
      deepStrictEqual(rest.map((line) => line.split(" ")[3]), rest.map((line) => line.split(" ")[3]).toSorted());
      for (const alias of aliases) deepStrictEqual(linesOf((await node.ctl("get", alias)).text)[0], heading, alias);
    });
  }

  await t.step("get in other forms", async () => {
    const yaml = await node.ctl("get", "routes", "inet4/10.98.2.1//1024", "-o", "yaml");
    strictEqual(yaml.code, 0, yaml.text);
    match(
      yaml.text,
      /^node: 10\.98\.2\.2\nmetadata:\n {4}namespace: network\n {4}type: RouteStatuses\.net\.talos\.dev$/m,
    );
    match(yaml.text, /^ {4}owner: network\.RouteStatusController\n {4}phase: running\n {4}created: \d{4}-/m);
    match(yaml.text, /^spec:\n {4}family: inet4\n {4}dst: ""\n {4}src: ""\n {4}gateway: 10\.98\.2\.1$/m);
    const json = JSON.parse((await node.ctl("get", "address", "eth0/10.98.2.2/24", "-o", "json")).text);
    strictEqual(json.node, "10.98.2.2");
    strictEqual(json.metadata.id, "eth0/10.98.2.2/24");
    deepStrictEqual(
      [json.spec.address, json.spec.linkName, json.spec.family, json.spec.scope, json.spec.flags],
      ["10.98.2.2/24", "eth0", "inet4", "global", "permanent"],
    );
    const path = await node.ctl("get", "link", "eth0", "-o", "jsonpath={.spec.kind} {.metadata.id}");
    deepStrictEqual(path, { code: 0, text: "veth eth0\n" });
  });

  await t.step("get in another namespace shows where a wish comes from", async () => {
    const { code, text } = await node.ctl("get", "addressspecs", "--namespace", "network-config", "-o", "yaml");
    strictEqual(code, 0, text);
    match(text, /^ {4}id: cmdline\/eth0\/10\.98\.2\.2\/24$/m);
    match(text, /^ {8}monos\.dev\/source: kernel argument ip=$/m);
  });

  await t.step("get -w shows a change as it happens, and Ctrl-C ends it well", async () => {
    await using watch = node.follow("get", "links", "-w");
    const first = await watch.until(/ lo /);
    match(first, /^NODE +\* +NAMESPACE +TYPE +ID +VERSION/);
    node.kernel.addLink({ name: "seen0", kind: "veth", peer: { name: "seen1" } });
    match(await watch.until(/ seen0 /), /10\.98\.2\.2 +\+ +network +LinkStatus +seen0 /);
    node.kernel.deleteLink("seen0");
    await watch.until(/10\.98\.2\.2 +- +network +LinkStatus +seen0 /);
    strictEqual(await watch.interrupt(), 0);
  });

  await t.step("exit codes tell failure from wrong use", async () => {
    const absent = await node.ctl("get", "addresses", "nope");
    strictEqual(absent.code, 1);
    match(absent.text, /^error: Cannot get addresses "nope" from 10\.98\.2\.2: .*does not exist$/m);
    const unknown = await node.ctl("get", "adresses");
    strictEqual(unknown.code, 2);
    match(unknown.text, /^error: Cannot get "adresses": .*did you mean "addresses"\?$/m);
    strictEqual((await node.ctl("get")).code, 2);
    strictEqual((await node.ctl("version")).code, 0);
  });

  await t.step("logs: all, the last lines, and on", async () => {
    const all = linesOf((await node.ctl("logs", "containerd")).text);
    const last = linesOf((await node.ctl("logs", "containerd", "--tail", "2")).text);
    deepStrictEqual(last, all.slice(-2));
    ok(all.every((line) => line.startsWith("10.98.2.2: ")));
    await using follow = node.follow("logs", "machined", "-f", "--tail", "1");
    await follow.until(/\n$/);
    node.kernel.addLink({ name: "seen0", kind: "veth", peer: { name: "seen1" } });
    await node.during(
      `${node.config}---\napiVersion: v1alpha1\nkind: LinkConfig\nname: seen0\nmtu: 1400\n`,
      async () => {
        await follow.until(/^10\.98\.2\.2: .*network\.LinkSpecController: change link seen0/m);
      },
    );
    node.kernel.deleteLink("seen0");
    strictEqual(await follow.interrupt(), 0);
    const none = await node.ctl("logs", "nothing");
    strictEqual(none.code, 1);
    match(none.text, /^error: Cannot show the log of "nothing" on 10\.98\.2\.2: /);
  });

  await t.step("events tell of services and of the machine", async () => {
    await using events = node.follow("events", "--tail", "-1");
    match(await events.until(/machine\.MachineStatusEvent .*running +ready: true/), /^NODE +ID +EVENT +ACTOR +SOURCE/);
    await events.until(/machine\.ServiceStateEvent .*etcd +RUNNING: /);
    strictEqual(await events.interrupt(), 0);
  });
});
