import { ok, strictEqual, throws } from "node:assert/strict";
import { JsonPathError, parseJsonPath } from "./jsonpath.ts";
import { jsonPathText } from "./jsonpath_text.ts";

const DOCUMENT = {
  metadata: { id: "eth0", labels: { "app.kubernetes.io/name": "x", plain: "y" }, version: 3 },
  spec: {
    up: true,
    off: false,
    nothing: null,
    mtu: 1500,
    addresses: ["10.0.0.1/8", "10.0.0.2/8", "10.0.0.3/8", "10.0.0.4/8"],
    routes: [
      { to: "a", gateway: "g1", metric: 10 },
      { to: "b", gateway: "g2", metric: 20 },
      { to: "c", metric: 30 },
    ],
    nested: { to: "d" },
  },
};
const LIST = DOCUMENT.spec.addresses;

const rows: readonly [template: string, text: string][] = [
  // fields
  ["{.metadata.id}", "eth0"],
  ["{ .metadata.id }", "eth0"],
  ["{$.metadata.id}", "eth0"],
  ["{@.metadata.id}", "eth0"],
  ["{.spec.up} {.spec.off} {.spec.mtu}", "true false 1500"],
  ["{.metadata.labels.app\\.kubernetes\\.io/name}", "x"],
  ["{.metadata.labels['app.kubernetes.io/name']}", "x"],
  ['{.metadata["id"]}', "eth0"],
  ["{['metadata']['id']}", "eth0"],
  ["{.metadata.labels['plain','app.kubernetes.io/name']}", "y x"],
  // without braces
  [".metadata.id", "eth0"],
  ["metadata.id", "eth0"],
  ["$.metadata.id", "eth0"],
  ["", ""],
  // what is missing, and what cannot be entered
  ["<{.spec.absent}>", "<>"],
  ["<{.spec.absent.more[0]}>", "<>"],
  ["<{.spec.nothing}>", "<>"],
  ["<{.spec.mtu.x}{.spec.mtu[0]}{.spec.mtu[*]}{.spec.routes.to}>", "<>"],
  ["<{.constructor}{.spec.addresses.length}>", "<>"],
  // lists
  ["{.spec.addresses}", JSON.stringify(LIST)],
  ["{.spec.addresses[*]}", LIST.join(" ")],
  ["{.spec.addresses.*}", LIST.join(" ")],
  ["{.spec.addresses[:]}", LIST.join(" ")],
  ["{.spec.addresses[0]}", "10.0.0.1/8"],
  ["{.spec.addresses[-1]}", "10.0.0.4/8"],
  ["{.spec.addresses[0,2]}", "10.0.0.1/8 10.0.0.3/8"],
  ["{.spec.addresses[7]}{.spec.addresses[-7]}", ""],
  ["{.spec.addresses[1:3]}", "10.0.0.2/8 10.0.0.3/8"],
  ["{.spec.addresses[2:]}", "10.0.0.3/8 10.0.0.4/8"],
  ["{.spec.addresses[:1]}", "10.0.0.1/8"],
  ["{.spec.addresses[-2:]}", "10.0.0.3/8 10.0.0.4/8"],
  ["{.spec.addresses[::2]}", "10.0.0.1/8 10.0.0.3/8"],
  ["{.spec.nested}", '{"to":"d"}'],
  ["{.metadata.labels.*}", "x y"],
  // everywhere below
  ["{..to}", "a b c d"],
  ["{.spec..to}", "a b c d"],
  ["{..labels.plain}", "y"],
  ["{.spec.routes..['to']}", "a b c"],
  // filters
  ['{.spec.routes[?(@.to=="b")].gateway}', "g2"],
  ["{.spec.routes[?( @.to == 'b' )].gateway}", "g2"],
  ['{.spec.routes[?(@.to!="b")].to}', "a c"],
  ["{.spec.routes[?(@.metric>10)].to}", "b c"],
  ["{.spec.routes[?(@.metric<=20)].to}", "a b"],
  ['{.spec.routes[?(@.metric=="20")].to}', "b"],
  ["{.spec.routes[?(@.gateway)].to}", "a b"],
  ["{.spec.routes[?(@.metric==$.absent)].to}", ""],
  ['{.spec.addresses[?(@=="10.0.0.2/8")]}', "10.0.0.2/8"],
  ['{.spec.routes[?(@.to=="z")].gateway}', ""],
  // text around
  ["id={.metadata.id}, mtu={.spec.mtu}\n", "id=eth0, mtu=1500\n"],
  ['{.metadata.id}{"\\t"}{.spec.mtu}{"\\n"}', "eth0\t1500\n"],
  ["{'it\\'s \\\\'}", "it's \\"],
  ['{"{"}x}', "{x}"],
  // ranges
  ['{range .spec.routes[*]}{.to}:{.gateway}{"\\n"}{end}', "a:g1\nb:g2\nc:\n"],
  ["{range .spec.routes[*]}{@.to}{$.metadata.id} {end}done", "aeth0 beth0 ceth0 done"],
  ["{range .spec.routes[:1]}{range $.spec.addresses[:2]}[{@}]{end}{.to}{end}", "[10.0.0.1/8][10.0.0.2/8]a"],
  ["<{range .spec.absent[*]}x{end}>", "<>"],
];
for (const [template, text] of rows) {
  Deno.test(`jsonPathText() ${JSON.stringify(template)}`, () => {
    strictEqual(jsonPathText(parseJsonPath(template), DOCUMENT), text);
  });
}

Deno.test("jsonPathText() of a scalar document", () => {
  for (const path of ["{@}", "{.}", "{$}"]) strictEqual(jsonPathText(parseJsonPath(path), "text"), "text");
  strictEqual(jsonPathText(parseJsonPath("{.x}"), undefined), "");
});

const broken: readonly [template: string, offset: number][] = [
  ["{.a", 3],
  ["{.a[}", 4],
  ["{.a[x]}", 4],
  ["{.a[1:2:3:4]}", 4],
  ["{.a[::0]}", 4],
  ["{.a[?(@.x==)]}", 11],
  ["{.a[?(@.x]}", 9],
  ['{"a}', 1],
  ["{range .a[*]}x", 1],
  ["x{end}", 2],
  ["{a}", 1],
  ["{..}", 3],
  ["a[", 2],
];
for (const [template, offset] of broken) {
  Deno.test(`parseJsonPath() refuses ${JSON.stringify(template)}`, () => {
    throws(() => parseJsonPath(template), (error) => {
      ok(error instanceof JsonPathError);
      strictEqual(error.offset, offset, error.message);
      return true;
    });
  });
}
