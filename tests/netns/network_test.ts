import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { IFF_UP } from "../../kernel/rtnetlink/link.ts";
import { RTPROT_BOOT, RTPROT_STATIC } from "../../kernel/rtnetlink/message.ts";
import { addRouteRequest, deleteRouteRequest } from "../../kernel/rtnetlink/request.ts";
import type { RtnlConn } from "../../kernel/rtnl.ts";
import { routeStatuses } from "../../controllers/network/route_status.ts";
import { routeStatusController } from "../../controllers/network/route_status.ts";
import { linkSpecController } from "../../controllers/network/link_spec.ts";
import { linkMergeController } from "../../controllers/network/link_merge.ts";
import { newResource } from "../../mod/cosi/mod.ts";
import { AddressStatuses } from "../../resources/network/address_status.ts";
import { AddressSpecs } from "../../resources/network/address_spec.ts";
import { NETWORK_CONFIG } from "../../resources/network/layer.ts";
import { type LinkSpec, LinkSpecs } from "../../resources/network/link_spec.ts";
import { LinkStatuses } from "../../resources/network/link_status.ts";
import { RouteStatuses } from "../../resources/network/route_status.ts";
import { changesOf, eventually } from "./eventually.ts";
import { NetworkNode } from "./network_node.ts";

/** Two connected links; `va` is up. */
function addPair(conn: RtnlConn): number {
  conn.addLink({ name: "va", kind: "veth", peer: { name: "vb" } });
  conn.setLink("vb", { up: true });
  conn.setLink("va", { up: true });
  return conn.link("va")?.index ?? 0;
}

/** A config with one LinkConfig document. */
function linkConfig(name: string, settings: string): string {
  return `apiVersion: v1alpha1\nkind: LinkConfig\nname: ${name}\n${settings}`;
}

function hasAddress(conn: RtnlConn, prefix: string): boolean {
  return conn.addresses().some((address) => address.prefix === prefix);
}

Deno.test("an address that comes and goes behind our back shows within 50 ms", async () => {
  let linkIndex = 0;
  await using node = new NetworkNode((conn) => linkIndex = addPair(conn)).start();
  const statuses = changesOf(node.state, [AddressStatuses]);
  const ids = () => node.all(AddressStatuses).map(({ metadata }) => metadata.id);
  await eventually([statuses], () => ok(ids().includes("lo/127.0.0.1/8")));
  node.conn.addAddress({ linkIndex, prefix: "10.0.0.5/24" });
  await eventually([statuses], () => ok(ids().includes("va/10.0.0.5/24")), 50);
  node.conn.deleteAddress({ linkIndex, prefix: "10.0.0.5/24" });
  await eventually([statuses], () => ok(!ids().includes("va/10.0.0.5/24")), 50);
});

Deno.test("a config's address and route reach the kernel, come back when taken away, and go with the config", async () => {
  let linkIndex = 0;
  await using node = new NetworkNode((conn) => linkIndex = addPair(conn)).start();
  const { conn, view } = node;
  const routes = () => conn.routes(4).filter((route) => route.protocol === RTPROT_STATIC);
  node.applyConfig(linkConfig("va", "addresses: [{address: 10.0.0.5/24}]\nroutes: [{gateway: 10.0.0.1}]\n"));
  await eventually([view.addressFeed, view.routeFeed], () => {
    ok(hasAddress(conn, "10.0.0.5/24"));
    deepStrictEqual(routes().map(({ destination, gateway, priority }) => [destination, gateway, priority]), [
      ["0.0.0.0/0", "10.0.0.1", 1024],
    ]);
  });
  conn.deleteRoute({ destination: "0.0.0.0/0", gateway: "10.0.0.1", priority: 1024 });
  await eventually([view.routeFeed], () => strictEqual(routes().length, 1));
  conn.deleteAddress({ linkIndex, prefix: "10.0.0.5/24" }); // takes the route along
  await eventually([view.addressFeed, view.routeFeed], () => {
    ok(hasAddress(conn, "10.0.0.5/24"));
    strictEqual(routes().length, 1);
  });
  node.applyConfig(linkConfig("va", ""));
  await eventually([view.addressFeed, changesOf(node.state, [AddressSpecs])], () => {
    ok(!hasAddress(conn, "10.0.0.5/24"));
    strictEqual(routes().length, 0);
    ok(!node.all(AddressSpecs).some(({ metadata }) => metadata.id.startsWith("va/")));
  });
});

Deno.test("a wish that goes and comes again and again ends as it was last", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn)).start();
  const { conn, view } = node;
  const [present, absent] = ["addresses: [{address: 10.0.0.5/24}]\n", ""].map((text) => linkConfig("va", text));
  const source = [view.addressFeed, changesOf(node.state, [AddressSpecs])];
  for (let round = 0; round < 100; round++) {
    node.applyConfig((round % 2 === 0 ? present : absent) ?? "");
    for (let turn = 0; turn < round % 7; turn++) await Promise.resolve(); // catches the controllers at different places
  }
  await eventually(source, () => {
    ok(!hasAddress(conn, "10.0.0.5/24"));
    ok(!node.all(AddressSpecs).some(({ metadata }) => metadata.id.startsWith("va/")));
  });
  node.applyConfig(present ?? "");
  await eventually(source, () => {
    ok(hasAddress(conn, "10.0.0.5/24"));
    const wish = node.all(AddressSpecs).find(({ metadata }) => metadata.id === "va/10.0.0.5/24")?.metadata;
    deepStrictEqual([wish?.phase, wish?.finalizers], ["running", ["network.AddressSpecController"]]);
  }, 200); // no failed pass, after which the controller would pause
});

Deno.test("a config that changes often is no quarrel: each change reaches the kernel at once", async () => {
  await using node = new NetworkNode(addPair).start();
  const { conn, view } = node;
  for (let round = 0; round < 30; round++) {
    node.applyConfig(linkConfig("va", "addresses: [{address: 10.0.0.5/24}]\n"));
    await eventually([view.addressFeed], () => ok(hasAddress(conn, "10.0.0.5/24")), 400);
    node.applyConfig(linkConfig("va", "up: true\n"));
    await eventually([view.addressFeed], () => ok(!hasAddress(conn, "10.0.0.5/24")), 400);
  }
});

Deno.test("a foreign route stays, also beside and after ours", async () => {
  let linkIndex = 0;
  await using node = new NetworkNode((conn) => linkIndex = addPair(conn)).start();
  const { conn, view } = node;
  conn.addAddress({ linkIndex, prefix: "10.0.0.9/24" });
  const foreign = { outLinkIndex: linkIndex, protocol: RTPROT_BOOT, gateway: "10.0.0.1" };
  conn.addRoute({ ...foreign, destination: "10.9.0.0/16", priority: 7 });
  conn.addRoute({ ...foreign, destination: "10.8.0.0/16", priority: 1024 });
  const protocols = () =>
    conn.routes(4).filter(({ destination }) => /^10\.[89]\.0/.test(destination))
      .map(({ destination, priority, protocol }) => `${destination} ${priority} ${protocol}`).sort();
  const before = ["10.8.0.0/16 1024 3", "10.9.0.0/16 7 3"];
  // one is the same as a foreign route, one differs by its metric
  const routes = ["10.8.0.0/16", "10.9.0.0/16"].map((to) => `{destination: ${to}, gateway: 10.0.0.1}`);
  node.applyConfig(linkConfig("va", `routes: [${routes.join(", ")}]\n`));
  await eventually([view.routeFeed], () => deepStrictEqual(protocols(), [before[0], "10.9.0.0/16 1024 4", before[1]]));
  node.applyConfig(linkConfig("va", ""));
  await eventually([view.routeFeed], () => deepStrictEqual(protocols(), before));
});

Deno.test("a link that the configuration wants down is down, whatever lower layers want", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn));
  const { conn, view, state } = node;
  node.start([linkMergeController(), linkSpecController(conn, view)]);
  const wish = (layer: LinkSpec["layer"], up: boolean) =>
    state.createNow(newResource(
      LinkSpecs,
      `${layer}/va`,
      { name: "va", logical: false, kind: "", type: "netrom", layer, up },
      { namespace: NETWORK_CONFIG },
    ));
  const isUp = () => ((conn.link("va")?.flags ?? 0) & IFF_UP) !== 0;
  wish("configuration", false);
  wish("cmdline", true);
  await eventually([view.linkFeed], () => ok(!isUp()));
  conn.setLink("va", { up: true });
  await eventually([view.linkFeed], () => ok(!isUp()));
  state.destroyNow({ namespace: NETWORK_CONFIG, type: LinkSpecs.type, id: "configuration/va" });
  await eventually([view.linkFeed], () => ok(isUp()));
});

Deno.test("logical links are made, put together, made anew by hand of others, and go with their wishes", async () => {
  await using node = new NetworkNode();
  const { conn, view, state } = node;
  node.start([linkMergeController(), linkSpecController(conn, view)]);
  const common = { logical: true, type: "ether", layer: "configuration", up: true } as const;
  const wishes: LinkSpec[] = [
    { ...common, name: "p0", kind: "veth", veth: { peerName: "p1" }, bridgeSlave: { masterName: "br0" }, mtu: 1400 },
    { ...common, name: "p1", kind: "veth", veth: { peerName: "p0" } },
    { ...common, name: "br0", kind: "bridge", hardwareAddr: "02:00:00:00:00:0b" },
  ];
  for (const wish of wishes) {
    state.createNow(newResource(LinkSpecs, `configuration/${wish.name}`, wish, { namespace: NETWORK_CONFIG }));
  }
  const isAsWished = () => {
    const [p0, p1, br0] = ["p0", "p1", "br0"].map((name) => conn.link(name));
    deepStrictEqual([p0?.mtu, p0?.masterIndex, br0?.hardwareAddr], [1400, br0?.index, "02:00:00:00:00:0b"]);
    for (const link of [p0, p1, br0]) ok(((link?.flags ?? 0) & IFF_UP) !== 0);
  };
  await eventually([view.linkFeed], isAsWished);
  conn.deleteLink("br0");
  conn.deleteLink("p0");
  await eventually([view.linkFeed], isAsWished);
  for (const { name } of wishes) {
    state.destroyNow({ namespace: NETWORK_CONFIG, type: LinkSpecs.type, id: `configuration/${name}` });
  }
  await eventually([view.linkFeed, changesOf(state, [LinkSpecs])], () => {
    deepStrictEqual(conn.links().map(({ name }) => name), ["lo"]);
    deepStrictEqual(node.all(LinkSpecs), []);
  });
});

Deno.test("a refused address is told with the kernel's words and keeps nobody waiting", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn)).start();
  const { conn, view } = node;
  const routes = "{destination: 10.7.0.0/16, gateway: 10.99.0.1}, {destination: 10.6.0.0/16, gateway: 10.0.0.1}";
  node.applyConfig(linkConfig("va", `addresses: [{address: 10.0.0.5/24}]\nroutes: [${routes}]\n`));
  await eventually([view.routeFeed], () => {
    ok(conn.routes(4).some(({ destination }) => destination === "10.6.0.0/16"));
  });
  await eventually([node.logFeed], () => {
    const lines = node.log.filter((line) => line.includes("inet4/10.99.0.1/10.7.0.0/16/1024"));
    ok(lines.some((line) => line.includes("Nexthop has invalid gateway")), lines.join("\n"));
  });
  // what makes the gateway reachable brings the route at once, without waiting for the next try
  conn.addAddress({ linkIndex: conn.link("va")?.index ?? 0, prefix: "10.99.0.9/24" });
  await eventually([view.routeFeed], () => {
    ok(conn.routes(4).some(({ destination }) => destination === "10.7.0.0/16"));
  }, 50);
});

Deno.test("routes that the kernel drops without a word when their link goes down are gone here too", async () => {
  let outLinkIndex = 0;
  await using node = new NetworkNode((conn) => {
    outLinkIndex = addPair(conn);
    conn.addAddress({ linkIndex: outLinkIndex, prefix: "10.0.0.5/24" });
    conn.addRoute({ destination: "10.9.0.0/16", gateway: "10.0.0.1", outLinkIndex, protocol: RTPROT_BOOT });
  });
  node.start([routeStatusController(node.view)]);
  const source = changesOf(node.state, [RouteStatuses]);
  await eventually([source], () => isLikeKernel(node));
  ok(node.all(RouteStatuses).some(({ spec }) => spec.dst === "10.9.0.0/16"));
  node.conn.setLink("va", { up: false });
  await eventually([source], () => {
    ok(!node.all(RouteStatuses).some(({ spec }) => spec.dst === "10.9.0.0/16"));
    isLikeKernel(node);
  }, 50);
});

Deno.test("after a burst of 50,000 route changes with lost notifications, resources are equal to the kernel", async () => {
  let outLinkIndex = 0;
  const receiveBytes = 256 * 1024; // so little that most of the burst is lost
  await using node = new NetworkNode((conn) => {
    outLinkIndex = addPair(conn);
    conn.addAddress({ linkIndex: outLinkIndex, prefix: "10.0.0.5/24" });
  }, receiveBytes);
  node.start([routeStatusController(node.view)]);
  const source = changesOf(node.state, [RouteStatuses]);
  await eventually([source], () => isLikeKernel(node));
  const route = (at: number) => ({
    destination: `20.${at >> 8}.${at & 0xff}.0/24`,
    gateway: "10.0.0.1",
    outLinkIndex,
    priority: 10,
    protocol: RTPROT_BOOT,
  });
  const all = Array.from({ length: 30_000 }, (_, at) => route(at));
  deepStrictEqual(node.conn.batch(all.map(addRouteRequest)).filter((error) => error !== undefined), []);
  node.conn.batch(all.slice(0, 20_000).map(deleteRouteRequest));
  await eventually([source], () => isLikeKernel(node), 20_000);
  ok(node.all(RouteStatuses).length > 10_000);
  ok(node.view.losses > 0, "the burst was meant to be too much");
});

/** Route resources and a dump of the kernel say the same. */
function isLikeKernel(node: NetworkNode): void {
  const byDestination = Map.groupBy(node.conn.routes(), ({ destination }) => destination);
  const expected = [...byDestination.values()].flatMap((routes) => routeStatuses(routes, node.view));
  const actual = node.all(RouteStatuses);
  strictEqual(actual.length, expected.length);
  const specs = new Map(actual.map(({ metadata, spec }) => [metadata.id, spec]));
  for (const { id, spec } of expected) deepStrictEqual(specs.get(id), spec);
}

Deno.test("a kind of link that the kernel may have as a module is asked for once", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn));
  const { conn, view, state } = node;
  const asked: string[] = [];
  const load = (kind: string) => {
    asked.push(kind);
    return Promise.reject(new Error("no such module"));
  };
  node.start([linkMergeController(), linkSpecController(conn, view, load)]);
  for (const name of ["br1", "br2"]) {
    const spec: LinkSpec = { name, logical: true, kind: "bridge", type: "ether", layer: "configuration" };
    state.createNow(newResource(LinkSpecs, `configuration/${name}`, spec, { namespace: NETWORK_CONFIG }));
  }
  await eventually([view.linkFeed], () => ok(conn.link("br1") !== undefined && conn.link("br2") !== undefined));
  deepStrictEqual(asked, ["bridge"]);
  ok(node.log.some((line) => line.includes("no such module")));
});

Deno.test("a link that comes is no reason to look at the routes of others again, a new name is", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn));
  const { conn, view } = node;
  const [addresses, routes] = [view.addressFeed.cursor(), view.routeFeed.cursor()];
  const changes = () => {
    view.refresh();
    return [addresses.take(), routes.take()].map((change) => change === "all");
  };
  changes();
  conn.addLink({ name: "vc", kind: "veth", peer: { name: "vd" } });
  conn.setLink("vd", { up: true });
  conn.setLink("vc", { up: true });
  deepStrictEqual(changes(), [false, false]);
  conn.setLink("vd", { up: false });
  changes();
  conn.setLink("vd", { name: "ve" });
  deepStrictEqual(changes(), [true, true]);
});

Deno.test("links show what they are", async () => {
  await using node = new NetworkNode((conn) => void addPair(conn)).start();
  const link = (id: string) => node.all(LinkStatuses).find(({ metadata }) => metadata.id === id)?.spec;
  await eventually([changesOf(node.state, [LinkStatuses])], () => {
    const { kind, type, operationalState, linkState, veth, mtu } = link("va") ?? {};
    deepStrictEqual([kind, type, operationalState, linkState, veth, mtu], [
      ...["veth", "ether", "up", true],
      ...[{ peerName: "vb" }, 1500],
    ]);
    deepStrictEqual([link("lo")?.type, link("lo")?.flags], ["loopback", "UP,LOOPBACK,RUNNING,LOWER_UP"]);
  });
  // ends of a pair know each other also when they come up with the node running, stay down, and change names
  node.conn.addLink({ name: "vc", kind: "veth", peer: { name: "vd" } });
  node.conn.setLink("vc", { name: "ve" });
  await eventually([changesOf(node.state, [LinkStatuses])], () => {
    deepStrictEqual([link("vd")?.veth, link("ve")?.veth], [{ peerName: "ve" }, { peerName: "vd" }]);
  });
});

Deno.test("somebody who takes an address away all the time wins in the end, and is told of", async () => {
  let linkIndex = 0;
  await using node = new NetworkNode((conn) => linkIndex = addPair(conn)).start();
  const { conn, view } = node;
  node.applyConfig(linkConfig("va", "addresses: [{address: 10.0.0.5/24}]\n"));
  let removals = 0;
  using _rival = view.addressFeed.subscribe(() => {
    if (view.address(linkIndex, "10.0.0.5/24") === undefined) return;
    removals++;
    conn.deleteAddress({ linkIndex, prefix: "10.0.0.5/24" });
  });
  await eventually([node.logFeed], () => {
    ok(node.log.some((line) => line.includes("something else changes it back")));
  });
  ok(removals <= 40, `${removals} removals`);
});
