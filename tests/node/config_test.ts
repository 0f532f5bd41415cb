/** What becomes of a config that a running node is given: in its kernel, its files, and what it shows. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { NetlinkError } from "../../kernel/netlink.ts";
import { Netns } from "../../kernel/netns.ts";
import { RtnlConn } from "../../kernel/rtnl.ts";
import { IFF_UP } from "../../kernel/rtnetlink/link.ts";
import { EtcFileStatuses } from "../../resources/files/etc_file_status.ts";
import { AddressStatuses } from "../../resources/network/address_status.ts";
import { HOSTNAME_ID } from "../../resources/network/hostname_spec.ts";
import { HostnameStatuses } from "../../resources/network/hostname_status.ts";
import { NodeAddresses } from "../../resources/network/node_address.ts";
import { KernelParamStatuses } from "../../resources/runtime/kernel_param_status.ts";
import { LiveNode } from "./live_node.ts";
import { inNetnsOf } from "./netns.ts";

const HEAD = "---\napiVersion: v1alpha1\nkind: ";
const ANY = "0.0.0.0/0";
const ADDRESS = "10.98.210.1/24";
const ADDRESS_DOCUMENT = `${HEAD}LinkConfig\nname: eth0\naddresses:\n    - address: ${ADDRESS}\n`;

Deno.test("a node follows its config", async (t) => {
  await using node = await LiveNode.start();
  const named = node.config.replace("auto: stable", "hostname: other.example.org");
  const hostname = async (expected: string) => {
    await node.until(HostnameStatuses, async () => {
      const { hostname = "", domainname = "" } = await node.spec(HostnameStatuses, HOSTNAME_ID) ?? {};
      strictEqual(`${hostname}.${domainname}`, expected);
    });
  };
  const file = (path: string, words: RegExp) => node.until(EtcFileStatuses, () => match(node.file(path), words));

  await t.step("one more address and another name, and back", async () => {
    await using watch = node.follow("get", "addresses", "-w");
    await watch.until(/eth0\/10\.98\.2\.2\/24/);
    await node.during(`${named}${ADDRESS_DOCUMENT}`, async () => {
      await node.inKernel(() => ok(node.addresses().includes(ADDRESS)));
      match(await watch.until(/10\.98\.210\.1\/24 +eth0\n/), /\+ +network +AddressStatus +eth0\/10\.98\.210\.1\/24 /);
      await node.until(NodeAddresses, async () => {
        deepStrictEqual((await node.spec(NodeAddresses, "current"))?.addresses, ["10.98.2.2/24", ADDRESS]);
      });
      await hostname("other.example.org");
      await file("/etc/hosts", /^10\.98\.2\.2\s+other\.example\.org other$/m);
      deepStrictEqual(await node.machine.hostname(), [{ node: "", value: "other" }]);
    });
    await node.inKernel(() => ok(!node.addresses().includes(ADDRESS)));
    await watch.until(/- +network +AddressStatus +eth0\/10\.98\.210\.1\/24 /);
    await hostname("tnode.");
    await file("/etc/hosts", /^10\.98\.2\.2\s+tnode$/m);
    doesNotMatch(node.file("/etc/hosts"), /other/);
  });

  await t.step("MTU and up of a link", async () => {
    node.kernel.addLink({ name: "ext0", kind: "veth", peer: { name: "ext1" } });
    const link = (settings: string) => `${node.config}${HEAD}LinkConfig\nname: ext0\n${settings}`;
    const isUp = () => ((node.kernel.link("ext0")?.flags ?? 0) & IFF_UP) !== 0;
    await node.during(link("mtu: 1400\nup: true\n"), async () => {
      await node.inKernel(() => deepStrictEqual([node.kernel.link("ext0")?.mtu, isUp()], [1400, true]));
      await node.apply(link("mtu: 1300\nup: false\n"));
      await node.inKernel(() => deepStrictEqual([node.kernel.link("ext0")?.mtu, isUp()], [1300, false]));
      await node.apply(link("up: true\n"));
      await node.inKernel(() => strictEqual(isUp(), true));
    });
    node.kernel.deleteLink("ext0");
  });

  await t.step("a link that the kernel cannot make is told plainly, and the rest is done", async () => {
    const dummy = `${HEAD}DummyLinkConfig\nname: dum0\naddresses:\n    - address: 10.98.211.1/24\n`;
    const knows = hasDummy();
    await using log = node.follow("logs", "machined", "-f", "--tail", "1");
    await node.during(`${node.config}${dummy}${ADDRESS_DOCUMENT}`, async () => {
      if (knows) await node.inKernel(() => ok(node.addresses().includes("10.98.211.1/24")));
      else await log.until(/network\.LinkSpecController: dum0: Cannot add link "dum0": EOPNOTSUPP/);
      await node.inKernel(() => ok(node.addresses().includes(ADDRESS)));
    });
    await node.inKernel(() => strictEqual(node.kernel.link("dum0"), undefined));
  });

  await t.step("hosts and resolvers, in both forms of the config", async () => {
    const documents = `${HEAD}StaticHostConfig\nname: 10.98.2.77\nhostnames:\n    - printer\n    - printer.lan\n` +
      `${HEAD}ResolverConfig\nnameservers:\n    - address: 10.98.2.53\nsearchDomains:\n    domains:\n        - lan\n`;
    await node.during(`${node.config}${documents}`, async () => {
      await file("/etc/hosts", /^10\.98\.2\.77\s+printer printer\.lan$/m);
      await file("/etc/resolv.conf", /^nameserver 10\.98\.2\.53\n(?!nameserver)(.*\n)*search lan$/m);
    });
    await file("/etc/resolv.conf", /^nameserver 1\.1\.1\.1\nnameserver 8\.8\.8\.8\n$/);
    const old = "    network:\n        nameservers: [10.98.2.54]\n        searchDomains: [old.lan]\n" +
      "        extraHostEntries:\n            - ip: 10.98.2.78\n              aliases: [scanner]\n";
    await node.during(node.config.replace("    network: {}\n", old), async () => {
      await file("/etc/hosts", /^10\.98\.2\.78\s+scanner$/m);
      doesNotMatch(node.file("/etc/hosts"), /printer/);
      await file("/etc/resolv.conf", /^nameserver 10\.98\.2\.54\n(.*\n)*search old\.lan$/m);
    });
    await node.until(EtcFileStatuses, () => doesNotMatch(node.file("/etc/hosts"), /scanner/));
  });

  await t.step("kernel parameters, set and put back", async () => {
    const [key, id] = ["net.ipv4.ip_default_ttl", "proc.sys.net.ipv4.ip_default_ttl"];
    const read = () => inNetnsOf(node.pid, () => Deno.readTextFileSync(`/proc/sys/${key.replaceAll(".", "/")}`).trim());
    const before = read();
    await node.during(node.config.replace("    network: {}\n", `$&    sysctls:\n        ${key}: "65"\n`), async () => {
      await node.until(KernelParamStatuses, async () => {
        const status = await node.spec(KernelParamStatuses, id);
        deepStrictEqual(status, { current: "65", default: before, unsupported: false });
      });
      strictEqual(read(), "65");
    });
    await node.until(KernelParamStatuses, async () => {
      strictEqual(await node.spec(KernelParamStatuses, id), undefined);
      strictEqual(read(), before);
    });
  });
});

Deno.test("a node shows what happens behind its back, and mends only what is its own", async (t) => {
  await using node = await LiveNode.start();
  const eth0 = node.kernel.link("eth0")?.index ?? 0;

  await t.step("a foreign address and route are shown within 50 ms, and left alone", async () => {
    const delays: number[] = [];
    const { namespace, type } = AddressStatuses;
    const events = node.resources.watch({ namespace, type }, { bootstrapContents: true });
    while ((await events.next()).value?.type !== "bootstrapped");
    for (let round = 0; round < 20; round++) {
      const prefix = `10.98.220.${round + 1}/32`;
      const start = performance.now();
      node.kernel.addAddress({ linkIndex: eth0, prefix });
      for (let isShown = false; !isShown;) {
        const { value } = await events.next();
        isShown = value?.type === "created" && value.resource.metadata.id === `eth0/${prefix}`;
      }
      delays.push(performance.now() - start);
    }
    await events.return(undefined);
    const median = delays.toSorted((a, b) => a - b)[10] ?? Infinity;
    ok(median < 50, `shown after ${median} ms`);
    node.kernel.addRoute({ destination: "10.98.230.0/24", gateway: "10.98.2.1" });
    // A config that changes addresses and routes makes every controller look at all of them.
    const route = "routes:\n    - destination: 10.98.231.0/24\n      gateway: 10.98.2.1\n";
    const routes = () => node.kernel.routes(4).map(({ destination }) => destination);
    await node.during(`${node.config}${ADDRESS_DOCUMENT}${route}`, async () => {
      await node.inKernel(() => ok(routes().includes("10.98.231.0/24") && node.addresses().includes(ADDRESS)));
    });
    await node.inKernel(() => ok(!routes().includes("10.98.231.0/24") && !node.addresses().includes(ADDRESS)));
    ok(routes().includes("10.98.230.0/24"));
    strictEqual(node.addresses().filter((prefix) => prefix.startsWith("10.98.220.")).length, 20);
  });

  await t.step("a wanted address and route that were taken away come back", async () => {
    await node.during(`${node.config}${ADDRESS_DOCUMENT}`, async () => {
      await node.inKernel(() => ok(node.addresses().includes(ADDRESS)));
      node.kernel.deleteAddress({ linkIndex: eth0, prefix: ADDRESS });
      await node.inKernel(() => ok(node.addresses().includes(ADDRESS)));
    });
    const gateways = () => node.kernel.routes(4).filter(({ destination }) => destination === ANY).map((r) => r.gateway);
    deepStrictEqual(gateways(), ["10.98.2.1"]);
    node.kernel.deleteRoute({ destination: ANY, gateway: "10.98.2.1", priority: 1024 });
    await node.inKernel(() => deepStrictEqual(gateways(), ["10.98.2.1"]));
  });
});

/** Whether the kernel makes dummy links, found out in the namespace of a test that is thrown away. */
function hasDummy(): boolean {
  using _ns = new Netns();
  using rtnl = new RtnlConn();
  try {
    rtnl.addLink({ name: "probe0", kind: "dummy" });
    return true;
  } catch (error) {
    if (error instanceof NetlinkError && error.code === "EOPNOTSUPP") return false;
    throw error;
  }
}
