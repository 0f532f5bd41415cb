import { fileURLToPath } from "node:url";
import { routeStatusController } from "../../controllers/network/route_status.ts";
import { NetworkView } from "../../controllers/network/network_view.ts";
import { ensurePackages } from "../../image/tasks/apt.ts";
import { Netns } from "../../kernel/netns.ts";
import { Reactor } from "../../kernel/reactor.ts";
import { RtnlConn } from "../../kernel/rtnl.ts";
import { addRouteRequest } from "../../kernel/rtnetlink/request.ts";
import { MemoryState, Runtime } from "../../mod/cosi/mod.ts";
import { RouteStatuses } from "../../resources/network/route_status.ts";
import { type Bench, type Figure, median } from "./figure.ts";
import { routeAt } from "./route_churn.ts";

const COUNT = 100_000;
const CHURN = 60_000;
const WARM_UPS = 3;
const RUNS = 11;

/** What observing routes costs, in a fresh network namespace. */
export const bench: Bench = {
  name: "routes",
  async *run() {
    await ensurePackages(["iproute2"]);
    using _ns = new Netns();
    using conn = new RtnlConn();
    conn.addLink({ name: "a", kind: "veth", peer: { name: "b" } });
    for (const name of ["a", "b", "lo"]) conn.setLink(name, { up: true });
    const linkIndex = conn.link("a")?.index ?? 0;
    for (let at = 0; at < COUNT; at += 10_000) {
      conn.batch(Array.from({ length: 10_000 }, (_, n) => addRouteRequest(routeAt(at + n, linkIndex))));
    }
    yield* dumps(conn);
    yield* observing(conn, linkIndex);
  },
};

/** The bare dump beside `ip route`, in turn. */
async function* dumps(conn: RtnlConn): AsyncIterable<Figure> {
  const ours: number[] = [], theirs: number[] = [];
  for (let run = -WARM_UPS; run < RUNS; run++) {
    let start = performance.now();
    const { length } = conn.routes(4);
    const dumped = performance.now() - start;
    if (length < COUNT) throw new Error(`Cannot measure: the kernel has only ${length} routes`);
    start = performance.now();
    await new Deno.Command("ip", { args: ["-4", "route", "show"], stdout: "null" }).output();
    if (run < 0) continue;
    ours.push(dumped);
    theirs.push(performance.now() - start);
  }
  yield { name: "100,000 routes dumped", value: median(ours), unit: "ms", budget: { value: 43, is: "most" } }; // half of what Go takes
  yield { name: "100,000 routes dumped, peer ip route", value: median(theirs), unit: "ms" };
  yield { name: "100,000 routes dumped, ratio to ip route", value: median(ours) / median(theirs), unit: "x" };
}

async function* observing(conn: RtnlConn, linkIndex: number): AsyncIterable<Figure> {
  const wanted = conn.routes().length;
  const start = performance.now();
  await using reactor = new Reactor((error) => console.error(error));
  using view = new NetworkView(reactor, conn);
  const state = new MemoryState();
  const runtime = new Runtime(state, { log: (_, level, message) => void (level !== "info" && console.error(message)) });
  runtime.register(routeStatusController(view));
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  const kind = { namespace: RouteStatuses.namespace, type: RouteStatuses.type };
  await until(() => state.listNow(kind).length >= wanted);
  yield {
    name: "100,000 routes to resources",
    value: performance.now() - start,
    unit: "ms",
    budget: { value: 1000, is: "most" },
  };

  // Another process changes routes; what counts is how long the resources lag behind its end.
  const before = state.listNow(kind).length;
  const churn = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileURLToPath(new URL("route_churn.ts", import.meta.url)), String(linkIndex), String(CHURN)],
    stdout: "piped",
  }).spawn();
  const text = await new Response(churn.stdout).text();
  const ended = performance.now();
  const { tookMs, removed } = JSON.parse(text);
  await until(() => state.listNow(kind).length === before - removed);
  const lag = performance.now() - ended;
  yield { name: "route changes offered", value: CHURN / tookMs * 1000, unit: "changes/s" };
  yield { name: "route changes, lag at the end", value: lag, unit: "ms", budget: { value: 100, is: "most" } };
  yield {
    name: "route changes kept up with",
    value: CHURN / (tookMs + lag) * 1000,
    unit: "changes/s",
    budget: { value: 50_000, is: "least" },
  };
  stop.abort();
  await running;
}

/** Looks after each turn of the event loop. */
async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error("Cannot measure: the resources never equal the kernel");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
