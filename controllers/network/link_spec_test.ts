import { deepStrictEqual, ok } from "node:assert/strict";
import { decodeLink, IFF_UP } from "../../kernel/rtnetlink/link.ts";
import type { LinkSpec } from "../../resources/network/link_spec.ts";
import { linkPlanner } from "./link_spec.ts";
import { cardRecord, LOOPBACK, viewOf, wordsOf } from "./plan_fixture.ts";

const CARD: LinkSpec = { name: "eth0", logical: false, kind: "", type: "netrom", layer: "configuration" };
const DUMMY: LinkSpec = { ...CARD, name: "dummy0", logical: true, kind: "dummy", type: "ether", up: true };
const VLAN: LinkSpec = {
  ...DUMMY,
  name: "eth0.100",
  kind: "vlan",
  parentName: "eth0",
  vlan: { vlanID: 100, vlanProtocol: "802.1q" },
};
const eth0 = cardRecord(2, "eth0");
const dummy0 = cardRecord(5, "dummy0", { kind: "dummy", flags: IFF_UP });
const vlan = cardRecord(6, "eth0.100", { kind: "vlan", flags: IFF_UP, vlan: { id: 100, protocol: 0x8100 } });

const cases = [
  {
    name: "changes each setting by itself",
    spec: { ...CARD, up: true, mtu: 1400, multicast: true },
    plan: ["change link 2", "change link 2"],
  },
  { name: "does nothing about what is not spoken of", spec: CARD, plan: [] },
  { name: "does nothing about what is as wished", spec: { ...CARD, up: false, mtu: 1500, multicast: true }, plan: [] },
  { name: "waits for hardware", spec: { ...CARD, name: "eth9", up: true }, plan: [] },
  { name: "makes a dummy", spec: DUMMY, plan: ['add link "dummy0"', 'change link "dummy0"'] },
  {
    name: "makes a dummy whose name is a nickname of another link",
    spec: { ...CARD, name: "dummy0", logical: true, kind: "dummy" },
    links: [{ ...eth0, altNames: ["dummy0"] }],
    plan: ['add link "dummy0"'],
  },
  {
    name: "makes anew a link of another kind",
    spec: DUMMY,
    links: [{ ...dummy0, kind: "bridge" }],
    plan: ["delete link 5", 'add link "dummy0"', 'change link "dummy0"'],
  },
  { name: "makes a VLAN on its link", spec: VLAN, plan: ['add link "eth0.100"', 'change link "eth0.100"'] },
  { name: "waits for the link below", spec: { ...VLAN, parentName: "eth9" }, plan: [] },
  { name: "leaves a VLAN alone that is as wished", spec: VLAN, links: [eth0, vlan], plan: [] },
  {
    name: "makes a VLAN with another number anew",
    spec: { ...VLAN, vlan: { vlanID: 101, vlanProtocol: "802.1q" as const } },
    links: [eth0, vlan],
    plan: ["delete link 6", 'add link "eth0.100"', 'change link "eth0.100"'],
  },
  {
    name: "puts a link into its bridge",
    spec: { ...CARD, bridgeSlave: { masterName: "br0" } },
    links: [eth0, cardRecord(7, "br0", { kind: "bridge" })],
    plan: ["change link 2"],
  },
];
for (const { name, spec, links = [LOOPBACK, eth0], plan } of cases) {
  Deno.test(`linkPlanner() ${name}`, () => {
    deepStrictEqual(wordsOf(linkPlanner(viewOf(links)).wanted(spec).requests), plan);
  });
}

Deno.test("linkPlanner() sets what is wished: down, a MAC, no multicast", () => {
  const spec = { ...CARD, up: false, hardwareAddr: "02:00:00:00:00:09", multicast: false };
  const { requests } = linkPlanner(viewOf([{ ...eth0, flags: eth0.flags | IFF_UP }])).wanted(spec);
  const links = requests.map(({ payload }) =>
    decodeLink(new DataView(payload.buffer, payload.byteOffset, payload.byteLength))
  );
  deepStrictEqual(links.map((link) => [link?.index, link?.flags, link?.hardwareAddr]), [
    [2, 0, "02:00:00:00:00:09"],
    [2, 0, ""],
    [2, 0, ""],
  ]);
});

Deno.test("linkPlanner() deletes logical links only", () => {
  const planner = linkPlanner(viewOf([eth0, dummy0]));
  deepStrictEqual(wordsOf(planner.unwanted(DUMMY).requests), ["delete link 5"]);
  deepStrictEqual(planner.unwanted({ ...CARD, up: true }).requests, []);
  deepStrictEqual(planner.unwanted({ ...DUMMY, kind: "bridge" }).requests, []);
});

Deno.test("linkPlanner() says which kind it cannot make", () => {
  const { requests, problem } = linkPlanner(viewOf([])).wanted({ ...DUMMY, kind: "wireguard" });
  deepStrictEqual(requests, []);
  ok(problem?.includes('"wireguard"'));
});
