import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { viewOf } from "../netlink_message.ts";
import { decodeAddress, encodeAddress, LIFETIME_FOREVER, type RtnlAddress } from "./address.ts";

const NOTHING = {
  ...{ peer: "", broadcast: "", anycast: "", multicast: "", label: "", scope: 0, priority: 0, protocol: 0 },
  ...{ preferredSeconds: LIFETIME_FOREVER, validSeconds: LIFETIME_FOREVER, unknown: [] },
};
const FOREVER_HEX = "14000600ffffffffffffffff670f0200670f0200";

// answers of Linux 6.18 to RTM_GETADDR, headers cut off; `asked` is without what the kernel adds
const captured: { name: string; asked: string; added: string; address: RtnlAddress }[] = [
  {
    name: "IPv4 with broadcast and label",
    asked: "0218800002000000080001000a000001080002000a000001080004000a0000ff0a0003006272303a780000000800080080000000",
    added: FOREVER_HEX,
    address: {
      ...NOTHING,
      ...{ family: 4, linkIndex: 2, prefix: "10.0.0.1/24", broadcast: "10.0.0.255", label: "br0:x", flags: 0x80 },
    },
  },
  {
    name: "IPv4 with a peer and a metric",
    asked: "022080000300000008000100c000020208000200c0000201070003007631000008000800800200000800" + "0900bc020000",
    added: FOREVER_HEX,
    address: {
      ...NOTHING,
      ...{ family: 4, linkIndex: 3, prefix: "192.0.2.1/32", peer: "192.0.2.2", label: "v1", flags: 0x280 },
      priority: 700,
    },
  },
];

for (const { name, asked, added, address } of captured) {
  Deno.test(`address codec: ${name}`, () => {
    const bytes = Uint8Array.fromHex(asked + added);
    deepStrictEqual(decodeAddress(viewOf(bytes)), address);
    strictEqual(encodeAddress(address).toHex(), asked);
    throws(() => decodeAddress(viewOf(bytes.subarray(0, -1))), RangeError);
  });
}

Deno.test("address codec: IPv6 with lifetimes", () => {
  const hex = "0a400200020000001400010020010db800000000000000000000000114000600080700" +
    "00100e0000bc070200bc0702000800080002000000";
  const address: RtnlAddress = {
    ...NOTHING,
    ...{ family: 6, linkIndex: 2, prefix: "2001:db8::1/64", flags: 2, preferredSeconds: 1800, validSeconds: 3600 },
  };
  deepStrictEqual(decodeAddress(viewOf(Uint8Array.fromHex(hex))), address);
  deepStrictEqual(decodeAddress(viewOf(encodeAddress(address))), address);
});

Deno.test("address codec: anycast, protocol and unknown attributes come through", () => {
  const address: RtnlAddress = {
    ...NOTHING,
    ...{ family: 6, linkIndex: 7, prefix: "2001:db8::/64", anycast: "2001:db8::", flags: 0, protocol: 3 },
    unknown: [{ type: 99, value: Uint8Array.of(1, 2, 3) }],
  };
  deepStrictEqual(decodeAddress(viewOf(encodeAddress(address))), address);
});

Deno.test("decodeAddress() leaves other families to others and refuses a cut header", () => {
  strictEqual(decodeAddress(viewOf(Uint8Array.fromHex("1c18800002000000"))), undefined);
  throws(() => decodeAddress(viewOf(Uint8Array.fromHex("02188000020000"))), RangeError);
});
