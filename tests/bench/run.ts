/**
 * Measures what the design has budgets for, each beside its peer where there is one.
 * Usage: deno task bench [NAME…]. Exits 0 whatever is missed; 1 when something could not be measured.
 */
import { type Bench, figureLine } from "./figure.ts";

type Load = () => Promise<{ bench: Bench }>;

/** Benches by the word that selects them; each is imported only when it runs. */
const BENCHES: Readonly<Record<string, readonly Load[]>> = {
  cosi: [() => import("./cosi_bench.ts"), () => import("./api_bench.ts")],
  routes: [() => import("./routes_bench.ts")],
  node: [() => import("./node_bench.ts")],
  boot: [() => import("./boot_bench.ts")],
};

const wanted = Deno.args.filter((word) => !word.startsWith("-"));
const unknown = wanted.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown !== undefined) {
  console.error(`Cannot run bench "${unknown}": there are ${Object.keys(BENCHES).join(", ")}`);
  Deno.exit(2);
}
let failed = false;
for (const [name, loads] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const load of loads) {
    try {
      const { bench } = await load();
      for await (const figure of bench.run()) console.log(figureLine(figure));
    } catch (cause) {
      failed = true;
      console.error(`Cannot measure ${name}: ${cause instanceof Error ? cause.stack : cause}`);
    }
  }
}
if (failed) Deno.exit(1);
