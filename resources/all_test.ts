import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeProto, encodeProto, toPlain, zeroRecord } from "../mod/schema/mod.ts";
import { DEFINITIONS, NAMESPACES } from "./all.ts";
import { LinkSpecs } from "./network/link_spec.ts";
import { RouteStatuses } from "./network/route_status.ts";
import { routeId } from "./network/route_spec.ts";

Deno.test("every type has a name and namespace of its own, and no protobuf number twice", () => {
  strictEqual(new Set(DEFINITIONS.map((definition) => definition.type)).size, DEFINITIONS.length);
  const namespaces = new Set(NAMESPACES.map((namespace) => namespace.name));
  for (const { type, namespace, shape } of DEFINITIONS) {
    ok(namespaces.has(namespace), `${type} lives in "${namespace}"`);
    const numbers = Object.values(shape.fields).map((field) => field.number);
    ok(numbers.every((number) => number > 0), `${type} has a field that does not travel`);
    strictEqual(new Set(numbers).size, numbers.length, type);
    deepStrictEqual(decodeProto(shape, encodeProto(shape, zeroRecord(shape))), zeroRecord(shape), type);
  }
});

Deno.test("a route as Talos writes it, in protobuf and in YAML", () => {
  const route = {
    family: "inet4",
    dst: "10.96.0.0/12",
    src: "",
    gateway: "10.5.0.1",
    outLinkIndex: 7,
    outLinkName: "eth0",
    table: "100",
    priority: 1024,
    scope: "global",
    type: "unicast",
    flags: "",
    protocol: "static",
    mtu: 0,
    nextHops: [],
  };
  // family 2, dst {10.96.0.0, 12}, gateway {10.5.0.1}, index 7, "eth0", table 100, metric 1024, unicast, static
  const bytes = "080212080a040a600000100c22060a040a050001280732046574683038644080085001" + "6004";
  strictEqual(encodeProto(RouteStatuses.shape, route).toHex(), bytes);
  deepStrictEqual(decodeProto(RouteStatuses.shape, Uint8Array.fromHex(bytes)), route);
  deepStrictEqual(Object.keys(toPlain(RouteStatuses.shape, route)), [
    ...["family", "dst", "src", "gateway", "outLinkIndex", "outLinkName", "table", "priority", "scope", "type"],
    ...["flags", "protocol"],
  ]);
});

Deno.test("a link wish tells off from not set", () => {
  const silent = { name: "eth0", logical: false, kind: "", type: "ether", layer: "default" };
  deepStrictEqual(decodeProto(LinkSpecs.shape, encodeProto(LinkSpecs.shape, silent)), silent);
  const down = { ...silent, up: false };
  deepStrictEqual(decodeProto(LinkSpecs.shape, encodeProto(LinkSpecs.shape, down)), down);
});

Deno.test("routeId() names the table when it is not main, and the link for IPv6", () => {
  const route = { table: "main", family: "inet4", dst: "", gateway: "10.5.0.1", priority: 1024, outLinkName: "eth0" };
  strictEqual(routeId({ ...route, family: "inet4" }), "inet4/10.5.0.1//1024");
  strictEqual(routeId({ ...route, family: "inet4", table: "100" }), "100/inet4/10.5.0.1//1024");
  const v6 = { ...route, family: "inet6" as const, gateway: "", dst: "fe80::/64", priority: 256 };
  strictEqual(routeId(v6), "eth0/inet6//fe80::/64/256");
});

Deno.test("a link wish shows the membership in a bond as Talos does", () => {
  const bondSlave = { masterName: "bond0", slaveIndex: 1 };
  const spec = { name: "eth0", logical: false, kind: "", type: "ether", layer: "default", bondSlave } as const;
  const plain = LinkSpecs.plain?.(spec) as object;
  deepStrictEqual(Object.keys(plain), ["name", "logical", "kind", "type", "masterName", "slaveIndex", "layer"]);
});
