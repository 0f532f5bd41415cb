import { Reactor } from "../../kernel/reactor.ts";
import { type RtnlChange, RtnlMonitor } from "../../kernel/rtnl_monitor.ts";
import { MachineClient } from "../../mod/api/mod.ts";
import { BenchNode } from "./bench_node.ts";
import { inNetnsOf } from "../node/netns.ts";
import { type Bench, type Figure, median, percentile } from "./figure.ts";

const STARTS = 5;
const CHANGES = 200;
const NAME = "bench";
const CIDR = "10.98.9.0/24";

/** A whole node in container mode: start, memory, and a config change until it is in the kernel. */
export const bench: Bench = {
  name: "node",
  async *run() {
    const starts: number[] = [];
    for (let run = 0; run <= STARTS; run++) {
      await using node = await BenchNode.start(NAME, CIDR);
      if (run > 0) starts.push(node.startMs); // the first warms the page cache
    }
    yield {
      name: "binary start to API answering",
      value: median(starts),
      unit: "ms",
      budget: { value: 150, is: "most" },
    };
    await using node = await BenchNode.start(NAME, CIDR);
    const machine = new MachineClient(node.client);
    await allHealthy(machine);
    yield {
      name: "resident memory, API, etcd and containerd up",
      value: residentMib(node.started.initPid),
      unit: "MiB",
      budget: { value: 100, is: "most" },
    };
    yield* configChanges(node, machine);
  },
};

async function allHealthy(machine: MachineClient): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  for await (const _event of machine.events({ tailEvents: -1 }, { signal })) {
    const services = (await machine.services()).flatMap(({ value }) => value);
    const isUp = (id: string) => services.some((one) => one.id === id && one.health.healthy);
    if (isUp("containerd") && isUp("etcd")) return;
  }
}

function residentMib(pid: number): number {
  const [, kib = ""] = /^VmRSS:\s+(\d+) kB/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
  return Number(kib) / 1024;
}

/** Applies configs with one address more or less, and looks at the node's kernel from outside of the node. */
async function* configChanges(node: BenchNode, machine: MachineClient): AsyncIterable<Figure> {
  await using reactor = new Reactor((error) => console.error(error));
  let seen = Promise.withResolvers<number>();
  const onChanges = (changes: readonly RtnlChange[]) => {
    const isOurs = (change: RtnlChange) => change.kind === "address" && change.record.prefix === "10.98.200.1/24";
    if (changes.some(isOurs)) seen.resolve(performance.now());
  };
  using _monitor = inNetnsOf(
    node.started.initPid,
    () => new RtnlMonitor(reactor, ["ipv4-ifaddr"], { onChanges, onResync() {} }),
  );
  const afterAnswer: number[] = [], whole: number[] = [], calls: number[] = [];
  const link = "---\napiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\naddresses:\n    - address: 10.98.200.1/24\n";
  for (let run = 0; run < CHANGES; run++) {
    seen = Promise.withResolvers<number>();
    const data = new TextEncoder().encode(run % 2 === 0 ? `${node.config}${link}` : node.config);
    const start = performance.now();
    await machine.applyConfiguration({ data, mode: "no-reboot", dryRun: false, tryTimeoutMs: 0 });
    const answered = performance.now();
    const inKernel = await seen.promise;
    afterAnswer.push(Math.max(0, inKernel - answered));
    whole.push(inKernel - start);
    calls.push(answered - start);
  }
  yield {
    name: "config change, answer to kernel, p99 of 200",
    value: percentile(afterAnswer, 0.99),
    unit: "ms",
    budget: { value: 5, is: "most" },
  };
  yield { name: "config change, request to answer, p50", value: median(calls), unit: "ms" };
  yield { name: "config change, request to kernel, p50", value: median(whole), unit: "ms" };
  yield { name: "config change, request to kernel, p99", value: percentile(whole, 0.99), unit: "ms" };
}
