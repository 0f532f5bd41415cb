import { deepStrictEqual } from "node:assert/strict";
import { decodeAddress } from "../../kernel/rtnetlink/address.ts";
import type { AddressSpec } from "../../resources/network/address_spec.ts";
import { addressPlanner } from "./address_spec.ts";
import { addressRecord, cardRecord, LOOPBACK, viewOf, wordsOf } from "./plan_fixture.ts";

const SPEC: AddressSpec = {
  address: "10.0.0.5/24",
  linkName: "eth0",
  family: "inet4",
  scope: "global",
  flags: "permanent",
  announceWithARP: false,
  priority: 0,
  layer: "configuration",
};
const V6: AddressSpec = { ...SPEC, address: "2001:db8::5/64", family: "inet6" };
const LINKS = [LOOPBACK, cardRecord(2, "eth0", { altNames: ["net0"] })];
const ADD = 'add address "10.0.0.5/24"';
const DELETE = 'delete address "10.0.0.5/24"';
const REPLACE = 'replace address "10.0.0.5/24"';
const ours = addressRecord(2, "10.0.0.5/24");

const cases = [
  { name: "adds what is missing", spec: SPEC, links: LINKS, actual: [], plan: [ADD] },
  { name: "finds the link by its alternative name", spec: { ...SPEC, linkName: "net0" }, links: LINKS, plan: [ADD] },
  { name: "waits for a link", spec: SPEC, links: [LOOPBACK], actual: [], plan: [] },
  { name: "leaves alone what is as wished", spec: SPEC, links: LINKS, actual: [ours], plan: [] },
  {
    name: "does not look at flags that the kernel sets",
    spec: V6,
    links: LINKS,
    actual: [addressRecord(2, V6.address, { flags: 0x80 | 0x40 | 0x8, scope: 253 })],
    plan: [],
  },
  {
    name: "gives another metric to what is there",
    spec: { ...SPEC, priority: 5 },
    links: LINKS,
    actual: [ours],
    plan: [REPLACE],
  },
  {
    name: "makes anew an IPv6 address in detection with another metric, of whose change the kernel would not tell",
    spec: { ...V6, priority: 5 },
    links: LINKS,
    actual: [addressRecord(2, V6.address, { flags: 0x80 | 0x40 })],
    plan: ['delete address "2001:db8::5/64"', 'add address "2001:db8::5/64"'],
  },
  {
    name: "is content with an address for which no duplicates were looked for",
    spec: V6,
    links: LINKS,
    actual: [addressRecord(2, V6.address, { flags: 0x80 | 0x2 })],
    plan: [],
  },
  {
    name: "lets stay what would end some time",
    spec: SPEC,
    links: LINKS,
    actual: [{ ...ours, flags: 0, validSeconds: 600, preferredSeconds: 300 }],
    plan: [REPLACE],
  },
  {
    name: "makes new connections use it again",
    spec: SPEC,
    links: LINKS,
    actual: [{ ...ours, flags: 0x80 | 0x20 }],
    plan: [REPLACE],
  },
  {
    name: "takes an IPv6 address with another length away first",
    spec: V6,
    links: LINKS,
    actual: [addressRecord(2, "2001:db8::5/128"), addressRecord(2, "2001:db8::50/64")],
    plan: ['delete address "2001:db8::5/128"', 'add address "2001:db8::5/64"'],
  },
  {
    name: "adds an IPv4 address beside the same with another length",
    spec: SPEC,
    links: LINKS,
    actual: [addressRecord(2, "10.0.0.5/8")],
    plan: [ADD],
  },
  { name: "makes anew what has another flag", spec: { ...SPEC, flags: "permanent,noprefixroute" }, links: LINKS },
  { name: "makes anew what has another scope", spec: { ...SPEC, scope: "link" as const }, links: LINKS },
];
for (const { name, spec, links, actual = name.startsWith("makes") ? [ours] : [], plan = [DELETE, ADD] } of cases) {
  Deno.test(`addressPlanner() ${name}`, () => {
    deepStrictEqual(wordsOf(addressPlanner(viewOf(links, actual)).wanted(spec).requests), plan);
  });
}

Deno.test("addressPlanner() tells what cannot be: two lengths of one address, and one that others use", () => {
  const problem = (prefix: string, flags: number) => {
    const view = viewOf(LINKS, [addressRecord(2, prefix, { flags })]);
    const plan = addressPlanner(view, new Set(["eth0/2001:db8::5/128", "eth0/2001:db8::5/64"])).wanted(V6);
    deepStrictEqual(plan.requests, []);
    return plan.problem !== undefined;
  };
  deepStrictEqual([problem("2001:db8::5/128", 0x80), problem(V6.address, 0x80 | 0x8), problem(V6.address, 0x80)], [
    ...[true, true, false],
  ]);
});

Deno.test("addressPlanner() takes away what is there, and nothing else", () => {
  const planner = addressPlanner(viewOf(LINKS, [ours]));
  deepStrictEqual(wordsOf(planner.unwanted(SPEC).requests), [DELETE]);
  deepStrictEqual(planner.unwanted({ ...SPEC, address: "10.0.0.6/24" }).requests, []);
  deepStrictEqual(planner.unwanted({ ...SPEC, linkName: "eth9" }).requests, []);
});

Deno.test("addressPlanner() asks for the broadcast address where there is one", () => {
  const broadcasts = [
    [SPEC.address, "eth0", "10.0.0.255"],
    ["10.0.0.5/19", "eth0", "10.0.31.255"],
    ["10.0.0.5/31", "eth0", ""],
    ["127.0.0.1/8", "lo", ""],
    [V6.address, "eth0", ""],
  ] as const;
  for (const [address, linkName, broadcast] of broadcasts) {
    const family = address.includes(":") ? "inet6" : "inet4";
    const [request] = addressPlanner(viewOf(LINKS)).wanted({ ...SPEC, address, linkName, family }).requests;
    const payload = request?.payload ?? new Uint8Array();
    const decoded = decodeAddress(new DataView(payload.buffer, payload.byteOffset, payload.byteLength));
    deepStrictEqual([decoded?.prefix, decoded?.broadcast], [address, broadcast]);
  }
});
