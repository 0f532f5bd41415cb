/**
 * Changes routes at 60,000 a second, as a busy routing daemon would: `deno run -A route_churn.ts LINK COUNT`. Removes the
 * first routes of the bench and adds every other one again. Prints how long it took and how many are gone.
 */
import { RtnlConn } from "../../kernel/rtnl.ts";
import { addRouteRequest, deleteRouteRequest } from "../../kernel/rtnetlink/request.ts";
import type { RtnlRouteRequest } from "../../kernel/rtnetlink/route.ts";

const PER_SECOND = 60_000;
const BATCH = 500;

/** The bench's route number `n`: a /32 below 10.0.0.0/8. */
export function routeAt(n: number, linkIndex: number): RtnlRouteRequest {
  return { destination: `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}/32`, outLinkIndex: linkIndex, scope: 253 };
}

if (import.meta.main) {
  const [linkIndex = 0, count = 0] = Deno.args.map(Number);
  using conn = new RtnlConn();
  const start = performance.now();
  let done = 0, removed = 0, at = 0;
  while (done < count) {
    const batch = [];
    for (; batch.length < BATCH && done + batch.length < count; at++) {
      const route = routeAt(at, linkIndex);
      batch.push(deleteRouteRequest(route));
      removed++;
      if (at % 2 === 0 || batch.length >= BATCH) continue;
      batch.push(addRouteRequest(route));
      removed--;
    }
    for (const error of conn.batch(batch)) if (error !== undefined) throw error;
    done += batch.length;
    const early = done / PER_SECOND * 1000 - (performance.now() - start);
    if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
  }
  console.log(JSON.stringify({ tookMs: performance.now() - start, removed }));
}
