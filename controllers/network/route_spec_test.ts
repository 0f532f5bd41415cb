import { deepStrictEqual } from "node:assert/strict";
import { viewOf as viewOfBytes } from "../../kernel/netlink_message.ts";
import { decodeRoute } from "../../kernel/rtnetlink/route.ts";
import type { RouteSpec } from "../../resources/network/route_spec.ts";
import { cardRecord, LOOPBACK, routeRecord, viewOf, wordsOf } from "./plan_fixture.ts";
import { routePlanner } from "./route_spec.ts";

const SPEC: RouteSpec = {
  family: "inet4",
  dst: "10.9.0.0/16",
  src: "",
  gateway: "10.0.0.1",
  outLinkName: "eth0",
  table: "main",
  priority: 1024,
  scope: "global",
  type: "unicast",
  flags: "",
  protocol: "static",
  layer: "configuration",
  mtu: 0,
  nextHops: [],
};
const LINKS = [LOOPBACK, cardRecord(2, "eth0"), cardRecord(3, "eth1")];
const ADD = 'add route "10.9.0.0/16"';
const DELETE = 'delete route "10.9.0.0/16"';
const ours = routeRecord("10.9.0.0/16", "10.0.0.1");
const V6: RouteSpec = { ...SPEC, family: "inet6", dst: "", gateway: "fe80::1", priority: 0 };
const joined = (...gateways: string[]) =>
  routeRecord("::/0", "", {
    outLinkIndex: 0,
    protocol: 9,
    nextHops: gateways.map((gateway) => ({ gateway, linkIndex: 2, weight: 1, flags: 0 })),
  });

const cases = [
  { name: "adds what is missing", actual: [], plan: [ADD] },
  { name: "waits for a link", spec: { ...SPEC, outLinkName: "eth9" }, actual: [], plan: [] },
  { name: "leaves alone what is as wished", actual: [ours], plan: [] },
  { name: "needs no link when it has a gateway", spec: { ...SPEC, outLinkName: "" }, actual: [ours], plan: [] },
  { name: "tells metrics apart", actual: [{ ...ours, priority: 7 }], plan: [ADD] },
  { name: "tells tables apart", actual: [{ ...ours, table: 100 }], plan: [ADD] },
  {
    name: "follows its wish to another link",
    spec: { ...SPEC, outLinkName: "eth1" },
    actual: [ours],
    plan: [DELETE, ADD],
  },
  {
    name: "leaves somebody else's route by another link alone",
    spec: { ...SPEC, outLinkName: "eth1" },
    actual: [{ ...ours, protocol: 3 }],
    plan: [ADD],
  },
  {
    name: "tells links of IPv6 apart",
    spec: { ...V6, outLinkName: "eth1" },
    actual: [routeRecord("::/0", "fe80::1")],
    plan: ['add route "::/0"'],
  },
  { name: "makes anew what has another MTU", spec: { ...SPEC, mtu: 1400 }, actual: [ours], plan: [DELETE, ADD] },
  { name: "is content with somebody else's same route", actual: [{ ...ours, protocol: 3, mtu: 1300 }], plan: [] },
  {
    name: "finds the default route of IPv6, whose metric is never 0",
    spec: V6,
    actual: [routeRecord("::/0", "fe80::1")],
    plan: [],
  },
  {
    name: "adds another gateway with the same metric",
    actual: [{ ...ours, gateway: "10.0.0.9", protocol: 3 }],
    plan: [ADD],
  },
  { name: "finds an IPv6 way among those joined with it", spec: V6, actual: [joined("fe80::9", "fe80::1")], plan: [] },
  {
    name: "joins an IPv6 way to others",
    spec: V6,
    actual: [joined("fe80::8", "fe80::9")],
    plan: ['add route "::/0"'],
  },
  { name: "adds the default route by its prefix", spec: V6, actual: [], plan: ['add route "::/0"'] },
  {
    name: "compares several ways without regard to order",
    spec: {
      ...SPEC,
      gateway: "",
      outLinkName: "",
      nextHops: [
        { gateway: "10.0.0.1", outLinkName: "", weight: 0 },
        { gateway: "10.0.0.2", outLinkName: "eth1", weight: 2 },
      ],
    },
    actual: [routeRecord("10.9.0.0/16", "", {
      outLinkIndex: 0,
      nextHops: [
        { gateway: "10.0.0.2", linkIndex: 3, weight: 2, flags: 0 },
        { gateway: "10.0.0.1", linkIndex: 2, weight: 1, flags: 16 },
      ],
    })],
    plan: [],
  },
];
for (const { name, spec = SPEC, actual, plan } of cases) {
  Deno.test(`routePlanner() ${name}`, () => {
    deepStrictEqual(wordsOf(routePlanner(viewOf(LINKS, [], actual)).wanted(spec).requests), plan);
  });
}

Deno.test("routePlanner() knows its route again when the config takes over what the command line wished", () => {
  const made = new Map();
  const plan = (spec: RouteSpec, ...actual: ReturnType<typeof routeRecord>[]) =>
    wordsOf(routePlanner(viewOf(LINKS, [], actual), made).wanted(spec).requests);
  deepStrictEqual(plan({ ...SPEC, protocol: "boot", layer: "cmdline" }), [ADD]);
  const first = { ...ours, protocol: 3 };
  deepStrictEqual(plan({ ...SPEC, mtu: 1400 }, first), [DELETE, ADD]);
  deepStrictEqual(plan({ ...SPEC, mtu: 1400 }, first, { ...ours, mtu: 1400 }), []); // now the first is another's
});

Deno.test("routePlanner() takes away its own route only", () => {
  const ends = (actual = ours) => wordsOf(routePlanner(viewOf(LINKS, [], [actual])).unwanted(SPEC).requests);
  deepStrictEqual(ends(), [DELETE]);
  deepStrictEqual(ends({ ...ours, protocol: 3 }), []);
  deepStrictEqual(ends({ ...ours, gateway: "10.0.0.2" }), []);
  deepStrictEqual(ends({ ...ours, outLinkIndex: 3 }), [DELETE]); // the link got another name
  const planner = routePlanner(viewOf(LINKS, [], [joined("fe80::9", "fe80::1")]));
  const [request] = planner.unwanted(V6).requests;
  const { gateway, protocol, nextHops } = decodeRoute(viewOfBytes(request?.payload ?? new Uint8Array())) ?? {};
  deepStrictEqual([gateway, protocol, nextHops], ["fe80::1", 4, []]);
});
