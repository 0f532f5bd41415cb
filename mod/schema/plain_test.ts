import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import {
  checkRecord,
  deepFreeze,
  field,
  formatDuration,
  isEmpty,
  isEqual,
  parseDuration,
  record,
  REDACTED,
  toPlain,
  toYaml,
  ValidationError,
} from "./mod.ts";

interface Peer {
  key: string;
  port?: number;
}
interface Link {
  name: string;
  up?: boolean;
  mac: string;
  wait: number;
  data: Uint8Array;
  secret: string;
  tags: readonly string[];
  peers: readonly Peer[];
  options: Readonly<Record<string, string>>;
  kind: "dummy" | "bridge";
  extra: unknown;
}
const peer = record<Peer>()({ key: field.string(1, { secret: true }), port: field.optional(field.uint32(2)) });
const link = record<Link>()({
  name: field.string(1),
  up: field.optional(field.bool(2)),
  mac: field.mac(3, { omitEmpty: true }),
  wait: field.duration(4),
  data: field.bytes(5, { omitEmpty: true }),
  secret: field.string(6, { secret: true }),
  tags: field.list(7, field.string(), { omitEmpty: true }),
  peers: field.list(8, field.record(0, peer)),
  options: field.map(9, field.string(), { omitEmpty: true }),
  kind: field.oneOf(10, { dummy: 0, bridge: 1 }),
  extra: field.any({ omitEmpty: true }),
});
const EMPTY: Link = {
  name: "",
  mac: "",
  wait: 0,
  data: new Uint8Array(0),
  secret: "",
  tags: [],
  peers: [],
  options: {},
  kind: "dummy",
  extra: null,
};
const FULL: Link = {
  name: "eth0",
  up: false,
  mac: "02:00:00:00:00:01",
  wait: 90_000,
  data: new Uint8Array([1, 2]),
  secret: "s3cret",
  tags: ["a"],
  peers: [{ key: "k", port: 0 }],
  options: { b: "2", a: "1" },
  kind: "bridge",
  extra: { any: [1] },
};

Deno.test("toPlain() keeps the order of fields and leaves out what is empty where marked", () => {
  deepStrictEqual(toPlain(link, EMPTY), { name: "", wait: "0s", secret: "", peers: [], kind: "dummy" });
  strictEqual(
    toYaml(toPlain(link, FULL)),
    `name: eth0
up: false
mac: "02:00:00:00:00:01"
wait: 1m30s
data: AQI=
secret: s3cret
tags:
    - a
peers:
    - key: k
      port: 0
options:
    a: "1"
    b: "2"
kind: bridge
extra:
    any:
        - 1
`,
  );
});

Deno.test("toYaml() quotes what readers of YAML 1.1 take for something else", () => {
  for (const text of ["yes", "12:30", "2026-01-02", "1_000", "1_0.5", "0b11", "<<", "0777"]) {
    strictEqual(toYaml({ text }), `text: "${text}"\n`);
  }
});

Deno.test("toPlain() hides secrets at any depth, but not that they are unset", () => {
  const plain = toPlain(link, FULL, { redact: true });
  strictEqual(plain["secret"], REDACTED);
  deepStrictEqual(plain["peers"], [{ key: REDACTED, port: 0 }]);
  strictEqual(toPlain(link, EMPTY, { redact: true })["secret"], "");
  strictEqual(JSON.stringify(plain).includes("s3cret"), false);
});

Deno.test("isEmpty() means what an absent key would mean", () => {
  ok(isEmpty(link, { ...EMPTY, extra: undefined }));
  ok(!isEmpty(link, { ...EMPTY, up: false }));
  ok(!isEmpty(link, { ...EMPTY, kind: "bridge" }));
});

const wrong: [path: string, change: Record<string, unknown>][] = [
  ["name", { name: 5 }],
  ["name", { name: undefined }],
  ["up", { up: "yes" }],
  ["mac", { mac: "02:00" }],
  ["wait", { wait: "1s" }],
  ["data", { data: null }],
  ["data", { data: "AQI=" }],
  ["tags", { tags: {} }],
  ["tags[1]", { tags: ["a", 1] }],
  ["peers[0].port", { peers: [{ key: "", port: -1 }] }],
  ["peers[0].prt", { peers: [{ key: "", prt: 1 }] }],
  ["peers[0]", { peers: [null] }],
  ["options", { options: [] }],
  ["options.x", { options: { x: 1 } }],
  ["kind", { kind: "vlan" }],
  ["constructor", { constructor: 1 }],
];
for (const [path, change] of wrong) {
  Deno.test(`checkRecord() refuses ${JSON.stringify(change)} at ${path}`, () => {
    throws(
      () => checkRecord(link, { ...FULL, ...change }),
      (error: Error) => error instanceof ValidationError && error.path === path,
    );
  });
}

Deno.test("checkRecord() accepts what the interface allows", () => {
  checkRecord(link, EMPTY);
  checkRecord(link, FULL);
});

const durations: [text: string, ms: number, shown: string][] = [
  ["0", 0, "0s"],
  ["1h30m", 5_400_000, "1h30m0s"],
  ["1m30s", 90_000, "1m30s"],
  ["1.001s", 1001, "1.001s"],
  ["-1.5s", -1500, "-1.5s"],
  ["100ms", 100, "100ms"],
  ["1.5µs", 0.0015, "1.5µs"],
  ["7ns", 0.000007, "7ns"],
  ["59.9999999s", 59_999.9999, "59.9999999s"],
  ["1000000h", 3_600_000_000_000, "1000000h0m0s"],
];
for (const [text, ms, shown] of durations) {
  Deno.test(`a duration of ${text} is ${ms} ms and ${shown}`, () => {
    strictEqual(parseDuration(text), ms);
    strictEqual(formatDuration(ms), shown);
  });
}
for (const text of ["", "-", "5", "1x", "1h 5m", "h", "1h-5m", "1e3s"]) {
  Deno.test(`"${text}" is no duration`, () => strictEqual(parseDuration(text), undefined));
}

const pairs: [a: unknown, b: unknown, equal: boolean][] = [
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [[1, 2], [2, 1], false],
  [[1], { 0: 1 }, false],
  [{}, [], false],
  [{}, new Uint8Array(0), false],
  [new Uint8Array([1]), new Uint8Array([1]), true],
  [new Uint8Array([1]), new Uint8Array([2]), false],
  [NaN, NaN, true],
  [null, {}, false],
  [{ a: null }, {}, false],
  [{ toString: 1 }, {}, false],
  [Object.assign(Object.create(null), { a: 1 }), { a: 1 }, true],
];
for (const [a, b, equal] of pairs) {
  Deno.test(`isEqual() of ${JSON.stringify(a)} and ${JSON.stringify(b)} is ${equal}`, () => {
    strictEqual(isEqual(a, b), equal);
    strictEqual(isEqual(b, a), equal);
  });
}

Deno.test("deepFreeze() reaches below what is frozen already, and leaves bytes alone", () => {
  const value = Object.freeze({ list: [{ deep: 1 }], bytes: new Uint8Array([1]) });
  strictEqual(deepFreeze(value), value);
  ok(Object.isFrozen(value.list[0]));
  value.bytes[0] = 2;
});
