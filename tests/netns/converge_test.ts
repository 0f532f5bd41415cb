import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { IFF_UP } from "../../kernel/rtnetlink/link.ts";
import { RTPROT_BOOT, RTPROT_STATIC } from "../../kernel/rtnetlink/message.ts";
import type { RtnlConn } from "../../kernel/rtnl.ts";
import { eventually } from "./eventually.ts";
import { NetworkNode } from "./network_node.ts";

/** Two connected links that are up. */
function addPair(conn: RtnlConn): number {
  conn.addLink({ name: "va", kind: "veth", peer: { name: "vb" } });
  conn.setLink("vb", { up: true });
  conn.setLink("va", { up: true });
  return conn.link("va")?.index ?? 0;
}

function linkConfig(name: string, settings: string, kind = "LinkConfig"): string {
  return `apiVersion: v1alpha1\nkind: ${kind}\nname: ${name}\n${settings}`;
}

const isUp = (conn: RtnlConn, name: string) => ((conn.link(name)?.flags ?? 0) & IFF_UP) !== 0;
const prefixes = (conn: RtnlConn) =>
  conn.addresses().map(({ prefix }) => prefix).filter((prefix) => !/^(fe80|127|::1)/.test(prefix)).sort();

Deno.test("a link whose MTU is refused comes up all the same, with its address", async () => {
  await using node = new NetworkNode((conn) => {
    addPair(conn);
    conn.setLink("va", { up: false });
  }).start();
  const { conn, view } = node;
  node.applyConfig(linkConfig("va", "mtu: 70000\nmulticast: false\naddresses: [{address: 10.0.0.5/24}]\n"));
  await eventually([view.linkFeed, view.addressFeed], () => {
    ok(isUp(conn, "va"));
    deepStrictEqual(prefixes(conn), ["10.0.0.5/24"]);
  });
  await eventually([node.logFeed], () => {
    ok(node.log.some((line) => line.includes("mtu greater than device maximum")), node.log.join("\n"));
  });
  node.applyConfig(linkConfig("va", "mtu: 1400\n"));
  await eventually([view.linkFeed], () => strictEqual(conn.link("va")?.mtu, 1400));
});

Deno.test("an address given for a while stays, without going away in between", async () => {
  let linkIndex = 0;
  await using node = new NetworkNode((conn) => {
    linkIndex = addPair(conn);
    const lifetimes = { validSeconds: 600, preferredSeconds: 300 };
    conn.addAddress({ linkIndex, prefix: "10.0.0.5/24", ...lifetimes });
    conn.addAddress({ linkIndex, prefix: "fd00::5/64", flags: 2, ...lifetimes });
    conn.addRoute({ destination: "10.9.0.0/16", gateway: "10.0.0.1", preferredSource: "10.0.0.5" });
  }).start();
  const { conn, view } = node;
  node.applyConfig(linkConfig("va", "addresses: [{address: 10.0.0.5/24}, {address: fd00::5/64}]\n"));
  await eventually([view.addressFeed], () => {
    const lasting = conn.addresses().filter(({ validSeconds, flags }) =>
      validSeconds === 0xffffffff && !(flags & 0x40)
    );
    deepStrictEqual(lasting.map(({ prefix }) => prefix).filter((prefix) => prefix.startsWith("fd00")), ["fd00::5/64"]);
    ok(lasting.some(({ prefix }) => prefix === "10.0.0.5/24"));
  });
  ok(conn.routes(4).some(({ destination }) => destination === "10.9.0.0/16"), "the route went with its address");
});

Deno.test("an IPv6 address that is there with another length gets the wished one", async () => {
  await using node = new NetworkNode((conn) => {
    conn.addAddress({ linkIndex: addPair(conn), prefix: "fd00::5/128", flags: 2 });
  }).start();
  const { conn, view } = node;
  node.applyConfig(linkConfig("va", "addresses: [{address: fd00::5/64}]\n"));
  await eventually([view.addressFeed], () => deepStrictEqual(prefixes(conn), ["fd00::5/64"]));
});

Deno.test("IPv6 addresses and routes come back when their link was down, and when its MTU was too small for them", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn)).start();
  const { conn, view } = node;
  const routes = "{gateway: 'fd00::1'}, {destination: 'fd05::/64'}";
  node.applyConfig(linkConfig("va", `addresses: [{address: fd00::5/64}]\nroutes: [${routes}]\n`));
  const isComplete = () => {
    deepStrictEqual(prefixes(conn), ["fd00::5/64"]);
    const ours = conn.routes(6).filter(({ protocol }) => protocol === RTPROT_STATIC);
    deepStrictEqual(ours.map(({ destination }) => destination).sort(), ["::/0", "fd05::/64"]);
  };
  const feeds = [view.linkFeed, view.addressFeed, view.routeFeed];
  await eventually(feeds, isComplete);
  conn.setLink("va", { up: false }); // the wish is up, so this is a flap
  await eventually(feeds, () => ok(isUp(conn, "va")));
  await eventually(feeds, isComplete);
  conn.setLink("va", { mtu: 1000 }); // below what IPv6 needs, the kernel takes IPv6 off the link
  await eventually(feeds, () => deepStrictEqual(prefixes(conn), []));
  conn.setLink("va", { mtu: 1500 });
  await eventually(feeds, isComplete);
});

Deno.test("an IPv6 route keeps its MTU when that of its link falls and rises", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn)).start();
  const { conn, view } = node;
  const feeds = [view.linkFeed, view.routeFeed];
  const mtu = () => conn.routes(6).find(({ destination }) => destination === "fd05::/64")?.mtu;
  node.applyConfig(
    linkConfig("va", "addresses: [{address: fd00::5/64}]\nroutes: [{destination: 'fd05::/64', mtu: 1300}]\n"),
  );
  await eventually(feeds, () => strictEqual(mtu(), 1300));
  conn.setLink("va", { mtu: 1280 }); // the kernel lowers and raises it without a word
  conn.setLink("va", { mtu: 1500 });
  await eventually(feeds, () => strictEqual(mtu(), 1300));
});

Deno.test("gateways with one metric stand side by side, ours and others', in both families", async () => {
  let linkIndex = 0;
  await using node = new NetworkNode((conn) => {
    linkIndex = addPair(conn);
    conn.addAddress({ linkIndex, prefix: "10.0.0.5/24" });
    conn.addAddress({ linkIndex, prefix: "fd00::5/64", flags: 2 });
    const common = { outLinkIndex: linkIndex, priority: 1024, protocol: RTPROT_BOOT };
    conn.addRoute({ ...common, destination: "0.0.0.0/0", gateway: "10.0.0.1" });
    conn.addRoute({ ...common, destination: "::/0", gateway: "fd00::1" });
  }).start();
  const { conn, view } = node;
  const gateways = () =>
    conn.routes().filter(({ destination }) => destination === "0.0.0.0/0" || destination === "::/0")
      .flatMap(({ gateway, nextHops }) => nextHops.length === 0 ? [gateway] : nextHops.map((hop) => hop.gateway))
      .sort();
  const routes = ["10.0.0.2", "10.0.0.3", "fd00::2", "fd00::3"].map((gateway) => `{gateway: '${gateway}'}`);
  node.applyConfig(linkConfig("va", `routes: [${routes.join(", ")}]\n`));
  const all = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "fd00::1", "fd00::2", "fd00::3"];
  await eventually([view.routeFeed], () => deepStrictEqual(gateways(), all));
  conn.deleteRoute({ destination: "::/0", gateway: "fd00::2", outLinkIndex: linkIndex, priority: 1024 });
  await eventually([view.routeFeed], () => deepStrictEqual(gateways(), all));
  node.applyConfig(linkConfig("va", `routes: [${routes[1]}, ${routes[3]}]\n`));
  await eventually([view.routeFeed], () => {
    deepStrictEqual(gateways(), ["10.0.0.1", "10.0.0.3", "fd00::1", "fd00::3"]);
  });
  node.applyConfig(linkConfig("va", ""));
  await eventually([view.routeFeed], () => deepStrictEqual(gateways(), ["10.0.0.1", "fd00::1"]));
});

Deno.test("what the kernel refuses is told soon, however much else happens", async () => {
  let linkIndex = 0;
  await using node = new NetworkNode((conn) => linkIndex = addPair(conn)).start();
  const { conn, view } = node;
  node.applyConfig(linkConfig("va", "addresses: [{address: 10.0.0.5/24}]\nroutes: [{gateway: 10.9.0.1}]\n"));
  await eventually([view.addressFeed], () => deepStrictEqual(prefixes(conn), ["10.0.0.5/24"]));
  for (let round = 0; round < 40; round++) {
    for (const change of ["addAddress", "deleteAddress"] as const) {
      conn[change]({ linkIndex, prefix: "10.7.0.5/24" });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const isTold = () => ok(node.log.some((line) => line.includes("inet4/10.9.0.1//1024: Cannot add route")));
  await eventually([node.logFeed], isTold, 900); // the first try again is after 500 ms
});

Deno.test("a link that is renamed loses what it had by its old name to the next of that name", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn)).start();
  const { conn, view } = node;
  node.applyConfig(linkConfig("va", "addresses: [{address: 10.0.0.5/24}]\nroutes: [{gateway: 10.0.0.1}]\n"));
  const feeds = [view.linkFeed, view.addressFeed, view.routeFeed];
  const owners = () =>
    conn.addresses().filter(({ prefix }) => prefix === "10.0.0.5/24").map(({ linkIndex }) => linkIndex);
  await eventually(feeds, () => strictEqual(owners().length, 1));
  const first = conn.link("va")?.index ?? 0;
  conn.setLink("va", { up: false });
  conn.setLink(first, { name: "vz" });
  conn.addLink({ name: "va", kind: "veth", peer: { name: "vc" } });
  conn.setLink("vc", { up: true });
  await eventually(feeds, () => {
    ok(owners().includes(conn.link("va")?.index ?? 0));
    ok(isUp(conn, "va"));
    ok(
      conn.routes(4).some(({ gateway, outLinkIndex }) =>
        gateway === "10.0.0.1" && outLinkIndex === conn.link("va")?.index
      ),
    );
  });
});
