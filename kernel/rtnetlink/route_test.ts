import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { viewOf } from "../netlink_message.ts";
import { decodeRoute, encodeRoute, type RtnlRoute } from "./route.ts";

const NOTHING: Omit<RtnlRoute, "family" | "destination"> = {
  ...{ source: "", gateway: "", preferredSource: "", outLinkIndex: 0, priority: 0, table: 254, protocol: 3, scope: 0 },
  ...{ type: 1, tos: 0, flags: 0, mtu: 0, preference: 0, expiresSeconds: 0, nextHops: [], unknown: [] },
};

// answers of Linux 6.18 to RTM_GETROUTE, headers cut off
const captured: { name: string; hex: string; route: RtnlRoute }[] = [
  {
    name: "gateway, source, metric and mtu",
    hex: "02180000fe0400011000000008000f00fe00000008000100c6336400080006002c0100000c0008000800020014050000" +
      "080007000a000001080005000a0000020800040002000000",
    route: {
      ...NOTHING,
      ...{ family: 4, destination: "198.51.100.0/24", gateway: "10.0.0.2", preferredSource: "10.0.0.1" },
      ...{ outLinkIndex: 2, priority: 300, mtu: 1300, protocol: 4, flags: 16 },
    },
  },
  {
    name: "default",
    hex: "02000000fe0300011000000008000f00fe000000080005000a0000030800040002000000",
    route: {
      ...NOTHING,
      ...{ family: 4, destination: "0.0.0.0/0", gateway: "10.0.0.3", outLinkIndex: 2, flags: 16 },
    },
  },
  {
    name: "blackhole",
    hex: "02100000fe0300060000000008000f00fe00000008000100c0a80000",
    route: { ...NOTHING, family: 4, destination: "192.168.0.0/16", type: 6 },
  },
  {
    name: "gateway of the other family, large table",
    hex: "020f0000fc0300010000000008000f00e803000008000100c6120000160012000a00fe800000000000000000000000000009" +
      "00000800040002000000",
    route: {
      ...NOTHING,
      ...{ family: 4, destination: "198.18.0.0/15", gateway: "fe80::9", outLinkIndex: 2, table: 1000 },
    },
  },
  {
    name: "multipath",
    hex: "02180000fe0300010000000008000f00fe00000008000100cb0071001c0009001000100202000000080005000a000002" +
      "0800000003000000",
    route: {
      ...NOTHING,
      ...{ family: 4, destination: "203.0.113.0/24" },
      nextHops: [
        { linkIndex: 2, gateway: "10.0.0.2", weight: 3, flags: 16 },
        { linkIndex: 3, gateway: "", weight: 1, flags: 0 },
      ],
    },
  },
  {
    name: "IPv6 with preference",
    hex: "0a300000fe0300011000000008000f00fe0000001400010020010db80001000000000000000000000c000800080002000005" +
      "000008000600320000001400050020010db8000000000000000000000002080004000200000024000c000000000000000000" +
      "0000000000000000000000000000000000000000000000000500140001000000",
    route: {
      ...NOTHING,
      ...{ family: 6, destination: "2001:db8:1::/48", gateway: "2001:db8::2", outLinkIndex: 2, priority: 50 },
      ...{ mtu: 1280, preference: 1, flags: 16 },
    },
  },
  {
    name: "IPv6 default with a metric that has no field",
    hex: "0a000000fe0300011000000008000f00fe0000000c00080008000800b0040000080006000004000014000500fe8000000000" +
      "00000000000000000001080004000200000024000c0000000000000000000000000000000000000000000000000000000000" +
      "000000000500140000000000",
    route: {
      ...NOTHING,
      ...{ family: 6, destination: "::/0", gateway: "fe80::1", outLinkIndex: 2, priority: 1024, flags: 16 },
      unknown: [{ type: 8, value: Uint8Array.fromHex("08000800b0040000") }],
    },
  },
];

for (const { name, hex, route } of captured) {
  const bytes = Uint8Array.fromHex(hex);
  Deno.test(`route codec: ${name}`, () => {
    deepStrictEqual(decodeRoute(viewOf(bytes)), route);
    deepStrictEqual(decodeRoute(viewOf(encodeRoute(route))), route);
    if (route.family === 4 && !hex.includes("1200")) strictEqual(encodeRoute(route).toHex(), hex);
  });
  // the last attribute of the IPv6 ones ends in padding, which the kernel may leave out
  const short = bytes.subarray(0, route.family === 6 ? -4 : -1);
  Deno.test(`route codec: ${name}, cut off`, () => throws(() => decodeRoute(viewOf(short)), RangeError));
}

Deno.test("route codec: source prefix and defaults", () => {
  const route = decodeRoute(viewOf(encodeRoute({ destination: "2001:db8::/32", source: "2001:db8:1::/48" })));
  deepStrictEqual(route, {
    ...NOTHING,
    ...{ family: 6, destination: "2001:db8::/32", source: "2001:db8:1::/48", protocol: 4 },
  });
  throws(() => encodeRoute({ destination: "10.0.0.0" }), SyntaxError);
});

Deno.test("decodeRoute() reads the time that is left of a route from a router", () => {
  const header = "0a000000fe0900010000000008000f00fe000000";
  const hex = `${header}24000c00${"00".repeat(8)}20bf0200${"00".repeat(20)}`;
  const { expiresSeconds, protocol, unknown } = decodeRoute(viewOf(Uint8Array.fromHex(hex))) ?? {};
  deepStrictEqual({ expiresSeconds, protocol, unknown }, { expiresSeconds: 1800, protocol: 9, unknown: [] });
});

Deno.test("decodeRoute() leaves other families to others and refuses a cut header", () => {
  strictEqual(decodeRoute(viewOf(Uint8Array.fromHex("80000000fe03000100000000"))), undefined);
  throws(() => decodeRoute(viewOf(Uint8Array.fromHex("02000000fe030001000000"))), RangeError);
});
