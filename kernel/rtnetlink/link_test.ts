import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { viewOf } from "../netlink_message.ts";
import { decodeLink, encodeLink, type RtnlLink, type RtnlLinkRequest } from "./link.ts";
import type { RtnlLinkKind } from "./link_info.ts";

// Answers of Linux 6.18 to RTM_GETLINK, headers cut off; counters, map and AF_SPEC taken out.
const VETH_IN_BRIDGE = [
  "00000100040000004310010000000000070003007630000008000d00e8030000050010000600000005001100000000000500430000000000",
  "0800040078050000080032004400000008003300ffff000008001b000000000008001e000100000008003d000100000008001f0002000000",
  "08002800ffff0000080029000000010008003a000000010008003f0000000100080040000000010008003b00f8ff070008003c00ffff0000",
  "0800420000000000080020000200000008000a000200000005002100010000000b00140075706c696e6b0000080023000200000008002f00",
  "0100000008003000010000000600440000000000060045000000000005002700000000000a00010002000000000100000a000200ffffffff",
  "ffff00000c002b0005000200000000006c0112000900010076657468000000000b0004006272696467650000500105000500010001000000",
  "06000200200000000800030002000000050004000000000005000500000000000500060000000000050007000000000005001c0000000000",
  "0500080001000000050009000100000005001b000100000005001e000100000005000a000000000005000c00000000000c000d0080000200",
  "000000010c000e00800002000000000106000f00018000000600100000000000060011000180000006001200010000000500130000000000",
  "050014000000000005001d000000000006001f00000000000500200000000000050023000000000005002400000000000500210000000000",
  "0500270000000000050028000000000005002b00000000000c00150000000000000000000c001600db050000000000000c00170000000000",
  "00000000050019000100000008002500000200000800260000000000080029000000000008002a000000000008000500030000000c000600",
  "6e6f717565756500180034800b003500656e703173300000080035006c616e0004003e8004004180",
].join("");
const BRIDGE = [
  "00000100020000000310000000000000080003006272300008000d00e8030000050010000200000005001100000000000500430001000000",
  "0800040078050000080032004400000008003300ffff000008001b000000000008001e000000000008003d000000000008001f0001000000",
  "08002800ffff0000080029000000010008003a000000010008003f0000000100080040000000010008003b00f8ff070008003c00ffff0000",
  "080042000000000008002000010000000500210000000000080023000100000008002f000000000008003000010000000600440000000000",
  "060045000000000005002700000000000a00010002000000000100000a000200ffffffffffff00000c002b0005000200000000009c011200",
  "0b00010062726964676500008c0102000c001000c7000000000000000c00110000000000000000000c00120000000000000000000c001300",
  "090000000000000008000100dc05000008000200c800000008000300d0070000080004003075000008000500010000000600060000800000",
  "050007000000000006000900000000000c000b0080000200000000010c000a00800002000000000106000c000000000008000d0000000000",
  "05000e000000000005000f00000000000a0014000180c200000000000c002e00000000001f00000008003000000000000800310000000000",
  "050016000100000005001700010000000500180000000000050019000000000005002a000000000008001a001000000008001b0000100000",
  "08001c000200000008001d000200000005002b000200000005002c00010000000c001e0064000000000000000c001f009065000000000000",
  "0c0020009c630000000000000c002100d4300000000000000c002200e8030000000000000c002300340c0000000000000500240000000000",
  "050025000000000005002600000000000c0006006e6f71756575650004003e8004004180",
].join("");

const NOTHING: RtnlLink = {
  ...{ index: 0, name: "", altNames: [], alias: "", type: 0, flags: 0, mtu: 0, hardwareAddr: "", broadcastAddr: "" },
  ...{ permanentAddr: "", operState: 0, hasCarrier: false, queueDisc: "", txQueueLength: 0, masterIndex: 0 },
  ...{ linkIndex: 0, linkNetnsId: -1, unknown: [], kind: "", slaveKind: "" },
};

Deno.test("decodeLink() of a veth in a bridge", () => {
  const bytes = Uint8Array.fromHex(VETH_IN_BRIDGE);
  const link = decodeLink(viewOf(bytes));
  ok(link !== undefined);
  deepStrictEqual({ ...link, unknown: [] }, {
    ...NOTHING,
    ...{ index: 4, name: "v0", altNames: ["enp1s0", "lan"], alias: "uplink", type: 1, flags: 0x11043, mtu: 1400 },
    ...{ hardwareAddr: "02:00:00:00:00:01", broadcastAddr: "ff:ff:ff:ff:ff:ff", operState: 6, hasCarrier: true },
    ...{ queueDisc: "noqueue", txQueueLength: 1000, masterIndex: 2, linkIndex: 3, kind: "veth", slaveKind: "bridge" },
  });
  deepStrictEqual(link.unknown.find(({ type }) => type === 50)?.value, Uint8Array.of(68, 0, 0, 0));
  throws(() => decodeLink(viewOf(bytes.subarray(0, -1))), RangeError);
});

Deno.test("decodeLink() of a bridge", () => {
  const link = decodeLink(viewOf(Uint8Array.fromHex(BRIDGE)));
  strictEqual(link?.kind, "bridge");
  deepStrictEqual(link?.bridge, { stp: true, vlanFiltering: false, multicastSnooping: true });
});

// requests of iproute2 6.1, headers cut off
const requests: {
  name: string;
  hex: string;
  request: RtnlLinkRequest;
  kind?: RtnlLinkKind;
  link: Partial<RtnlLink>;
}[] = [
  {
    name: "vlan",
    hex: "00000000000000000000000000000000080005000300000008000300766c30002000120008000100766c616e14000200060001" +
      "00640000000600050088a80000",
    request: { name: "vl0", linkIndex: 3 },
    kind: { kind: "vlan", vlan: { id: 100, protocol: 0x88a8 } },
    link: { name: "vl0", linkIndex: 3, kind: "vlan", vlan: { id: 100, protocol: 0x88a8 } },
  },
  {
    name: "bond",
    hex: "0000000000000000000000000000000008000300626f30003800120008000100626f6e642c0002000500010001000000080003" +
      "006400000008000400c8000000080005002c01000005000e0001000000",
    request: { name: "bo0" },
    kind: {
      kind: "bond",
      bond: { mode: 1, miimonMs: 100, upDelayMs: 200, downDelayMs: 300, xmitHashPolicy: 1 },
    },
    link: {
      ...{ name: "bo0", kind: "bond" },
      bond: { mode: 1, miimonMs: 100, upDelayMs: 200, downDelayMs: 300, xmitHashPolicy: 1, lacpRate: 0 },
    },
  },
  {
    name: "bridge",
    hex: "000000000000000000000000000000000800030062623000" +
      "2c0012000a00010062726964676500001c000200080005000100000005000700010000000500170000000000",
    request: { name: "bb0" },
    kind: { kind: "bridge", bridge: { stp: true, vlanFiltering: true, multicastSnooping: false } },
    link: { name: "bb0", kind: "bridge", bridge: { stp: true, vlanFiltering: true, multicastSnooping: false } },
  },
  {
    name: "change of flags and mtu",
    hex: "000000000300000001000000011000000800040014050000",
    request: { index: 3, up: true, multicast: false, mtu: 1300 },
    link: { index: 3, flags: 1, mtu: 1300 },
  },
];
for (const { name, hex, request, kind, link } of requests) {
  Deno.test(`encodeLink() of ${name} means the same as iproute2's`, () => {
    deepStrictEqual(decodeLink(viewOf(Uint8Array.fromHex(hex))), { ...NOTHING, ...link });
    deepStrictEqual(decodeLink(viewOf(encodeLink(request, kind))), { ...NOTHING, ...link });
  });
}

Deno.test("encodeLink() writes the header of a change byte by byte", () => {
  const bytes = encodeLink({ index: 3, up: true, multicast: false, mtu: 1300 });
  strictEqual(bytes.toHex(), "000000000300000001000000011000000800040014050000");
});

Deno.test("encodeLink() of a veth holds header and attributes of its peer", () => {
  const bytes = encodeLink({ name: "ve0" }, { kind: "veth", peer: { name: "ve1" } });
  const info = "3000" + "1280" + "0900010076657468" + "00000000" + "2000" + "0280" + "1c00" + "0180" +
    "00".repeat(16) + "0800030076653100";
  strictEqual(bytes.toHex(), "00".repeat(16) + "0800030076653000" + info);
});

Deno.test("decodeLink() leaves bridge port events to others and refuses a cut header", () => {
  strictEqual(decodeLink(viewOf(Uint8Array.fromHex("07" + "00".repeat(15)))), undefined);
  throws(() => decodeLink(viewOf(new Uint8Array(15))), RangeError);
});
