import { deepStrictEqual } from "node:assert/strict";
import { parseArgs } from "@std/cli";

Deno.test("parseArgs() types flags, follows aliases and coerces numerals", () => {
  const args = parseArgs(["-n", "10.5.0.2", "--nodes=10.5.0.3", "-w", "get", "12", "--tail", "7"], {
    string: ["nodes"],
    boolean: ["watch", "quiet"],
    collect: ["nodes"],
    alias: { nodes: "n", watch: "w" },
  });
  const nodes: string[] = args.nodes;
  const watch: boolean = args.watch;
  deepStrictEqual({ nodes, watch, quiet: args.quiet, _: args._ }, {
    nodes: ["10.5.0.2", "10.5.0.3"],
    watch: true,
    quiet: false,
    _: ["get", 12],
  });
  deepStrictEqual((args as Record<string, unknown>).tail, 7);
});

Deno.test("parseArgs() defaults, negation and explicit booleans", () => {
  const options = { boolean: ["color"], negatable: ["color"], default: { color: true, name: "demo" } } as const;
  deepStrictEqual(parseArgs([], options), { color: true, name: "demo", _: [] });
  deepStrictEqual(parseArgs(["--no-color", "--name", "x"], options), { color: false, name: "x", _: [] });
  deepStrictEqual(parseArgs(["--color=false"], options), { color: false, name: "demo", _: [] });
  deepStrictEqual(parseArgs(["--color", "false", "y"], options), { color: false, name: "demo", _: ["y"] });
});

Deno.test("parseArgs() short groups with a value", () => {
  deepStrictEqual({ ...parseArgs(["-vo./file", "-x5", "-k"], { boolean: ["v"], string: ["o", "k"] }) }, {
    v: true,
    o: "./file",
    x: 5,
    k: "",
    _: [],
  });
});

Deno.test("parseArgs() stops at the first word, at --, and reports unknown flags", () => {
  deepStrictEqual(parseArgs(["-v", "run", "-v", "2"], { boolean: ["v"], string: "_", stopEarly: true }), {
    v: true,
    _: ["run", "-v", "2"],
  });
  deepStrictEqual(parseArgs(["a", "--", "-b"], { "--": true }), { _: ["a"], "--": ["-b"] });
  deepStrictEqual(parseArgs(["a", "--", "-b"]), { _: ["a", "-b"] });
  const seen: unknown[] = [];
  const args = parseArgs(["word", "--frce", "-n=1"], {
    boolean: ["force"],
    unknown: (arg, key, value) => {
      seen.push([arg, key, value]);
      return false;
    },
  });
  deepStrictEqual(args, { force: false, _: [] });
  deepStrictEqual(seen, [["word", undefined, undefined], ["--frce", "frce", true], ["-n=1", "n", "1"]]);
});
