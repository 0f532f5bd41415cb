import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { RtnlRoute } from "../../kernel/rtnetlink/route.ts";
import { routeRecord } from "./plan_fixture.ts";
import { RouteTable } from "./route_table.ts";

const TO = "10.9.0.0/16";
const first = routeRecord(TO, "10.0.0.1");
const second = routeRecord(TO, "10.0.0.2");
const hop = (gateway: string, flags = 0) => ({ gateway, linkIndex: 2, weight: 1, flags });
const V6 = "2001:db8:1::/48";
const ways = routeRecord(V6, "", { outLinkIndex: 0, nextHops: [hop("2001:db8::1"), hop("2001:db8::2")] });
const news = (record: RtnlRoute) => ({ record, deleted: false, replaces: false });
const ends = (record: RtnlRoute) => ({ record, deleted: true, replaces: false });

const cases = [
  { name: "adds", before: [], change: news(first), after: [first] },
  { name: "keeps another way beside it", before: [first], change: news(second), after: [first, second] },
  {
    name: "takes the new words of a known route",
    before: [first, second],
    change: news({ ...first, flags: 1 }),
    after: [{ ...first, flags: 1 }, second],
  },
  { name: "removes", before: [first, second], change: ends(first), after: [second] },
  {
    name: "tells sources of IPv4 apart",
    before: [{ ...first, preferredSource: "10.0.0.5" }, { ...first, preferredSource: "10.0.0.6" }],
    change: ends({ ...first, preferredSource: "10.0.0.5" }),
    after: [{ ...first, preferredSource: "10.0.0.6" }],
  },
  { name: "removes the last one", before: [first], change: ends(first), after: [] },
  { name: "removes nothing that is not there", before: [first], change: ends(second), after: [first] },
  {
    name: "tells metrics apart",
    before: [first],
    change: ends({ ...first, priority: 7 }),
    after: [first],
  },
  {
    name: "puts the replacing route in the place of the old one",
    before: [first, { ...first, priority: 7 }],
    change: { ...news(second), replaces: true },
    after: [{ ...first, priority: 7 }, second],
  },
  {
    name: "takes an IPv6 way into the route of several ways",
    before: [routeRecord(V6, "2001:db8::1")],
    change: news(ways),
    after: [ways],
  },
  {
    name: "keeps the words of the IPv6 route that another way joins, and the route of a router beside it",
    before: [routeRecord(V6, "2001:db8::9", { protocol: 9 }), routeRecord(V6, "2001:db8::1", { mtu: 1300 })],
    change: news({ ...ways, mtu: 1400 }),
    after: [routeRecord(V6, "2001:db8::9", { protocol: 9 }), { ...ways, mtu: 1300 }],
  },
  {
    name: "knows a route of several ways whatever their carriers do",
    before: [ways],
    change: ends({ ...ways, nextHops: ways.nextHops.map((way) => ({ ...way, flags: 16 })) }),
    after: [],
  },
];
for (const { name, before, change, after } of cases) {
  Deno.test(`RouteTable ${name}`, () => {
    const table = new RouteTable(before);
    strictEqual(table.apply(change), true);
    deepStrictEqual(table.to(change.record.destination), after);
    deepStrictEqual([...table.entries()].length, after.length === 0 ? 0 : 1);
  });
}

Deno.test("RouteTable tells when a notification is not enough", () => {
  strictEqual(new RouteTable([ways]).apply(ends(routeRecord(V6, "2001:db8::1"))), false);
  strictEqual(new RouteTable([first, second]).apply({ ...news({ ...first, gateway: "" }), replaces: true }), false);
});
