/** What the State service costs beside grpc-js alone with equal bytes, in the same run. */
import { Buffer } from "node:buffer";
import { fileURLToPath } from "node:url";
import { create, toBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { GetRequestSchema, WatchRequestSchema } from "../../mod/api/gen/cosi/resource/state_pb.ts";
import { at, KIND } from "../conformance/state_fixture.ts";
import { type Bench, type Figure, figureLine, median } from "./figure.ts";

const SERVER = fileURLToPath(new URL("api_bench_server.ts", import.meta.url));
const ROUNDS = 7;
const GET = Buffer.from(toBinary(GetRequestSchema, create(GetRequestSchema, at("a"))));
const WATCH = Buffer.from(toBinary(WatchRequestSchema, create(WatchRequestSchema, { ...KIND, apiVersion: 1 })));
const WATCHERS = 10;
const BURST = 500;
/** Ours may cost a fifth more than grpc-js alone. */
const BUDGET = 1.2;

const keep = (bytes: Buffer) => bytes;
type Side = "ours" | "bare";
const SIDES: readonly Side[] = ["bare", "ours"];
const PATHS: Readonly<Record<Side, string>> = { bare: "/bench.Bare", ours: "/cosi.resource.State" };

/** Both servers and a client of each. */
class Servers implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #clients: Readonly<Record<Side, Client>>;

  private constructor(child: Deno.ChildProcess, ours: string, bare: string) {
    this.#child = child;
    const client = (address: string) =>
      new Client(address, credentials.createInsecure(), {
        "grpc.enable_channelz": 0,
        "grpc.use_local_subchannel_pool": 1,
      });
    this.#clients = { ours: client(ours), bare: client(bare) };
  }

  static async start(): Promise<Servers> {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", SERVER],
      stdout: "piped",
    }).spawn();
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes("\n")) break;
    }
    const [ours, bare] = JSON.parse(text) as [string, string];
    return new Servers(child, ours, bare);
  }

  call(side: Side, path: string, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) =>
      this.#clients[side].makeUnaryRequest(
        path,
        keep,
        keep,
        request,
        (error, reply) => error === null && reply !== undefined ? resolve(reply) : reject(error),
      )
    );
  }

  /** Microseconds of processor time that the servers have used. */
  async cpu(): Promise<number> {
    return Number(await this.call("bare", "/bench.Control/Cpu", Buffer.alloc(0)));
  }

  /** Opens watches; each message they get is counted. */
  async watch(side: Side, count: number, onMessage: () => void): Promise<Disposable> {
    const ready = Promise.withResolvers<void>();
    let open = 0;
    const calls = Array.from({ length: count }, () => {
      const call = this.#clients[side].makeServerStreamRequest(`${PATHS[side]}/Watch`, keep, keep, WATCH);
      call.on("error", () => {}); // our own cancellation
      call.on("data", (message: Buffer) => {
        if (message.length > 0) onMessage();
        else if (++open === count) ready.resolve();
      });
      return call;
    });
    await ready.promise;
    return { [Symbol.dispose]: () => calls.forEach((call) => call.cancel()) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const side of SIDES) this.#clients[side].close();
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}

/** What one round gave: operations a second, and processor time of the server for each. */
interface Round {
  readonly rate: number;
  readonly cpuUs: number;
}

async function round(servers: Servers, count: number, work: () => Promise<void>): Promise<Round> {
  const cpu = await servers.cpu(), since = performance.now();
  await work();
  const seconds = (performance.now() - since) / 1000;
  return { rate: count / seconds, cpuUs: (await servers.cpu() - cpu) / count };
}

async function sequential(servers: Servers, side: Side): Promise<Round> {
  return await round(servers, 2000, async () => {
    for (let left = 2000; left > 0; left--) await servers.call(side, `${PATHS[side]}/Get`, GET);
  });
}

async function concurrent(servers: Servers, side: Side): Promise<Round> {
  return await round(servers, 10_000, async () => {
    for (let left = 10_000; left > 0; left -= 100) {
      await Promise.all(Array.from({ length: 100 }, () => servers.call(side, `${PATHS[side]}/Get`, GET)));
    }
  });
}

async function fanOut(servers: Servers, side: Side): Promise<Round> {
  let left = 0, done = () => {};
  using _ = await servers.watch(side, WATCHERS, () => --left === 0 && done());
  const bursts = 10;
  return await round(servers, bursts * BURST * WATCHERS, async () => {
    for (let burst = 0; burst < bursts; burst++) {
      left = BURST * WATCHERS;
      const { promise, resolve } = Promise.withResolvers<void>();
      done = resolve;
      await servers.call("bare", "/bench.Control/Burst", Buffer.from(JSON.stringify([side, BURST])));
      await promise;
    }
  });
}

const PARTS: readonly (readonly [name: string, measure: typeof fanOut])[] = [
  ["Get, one after the other", sequential],
  ["Get, 100 at once", concurrent],
  [`watch events to ${WATCHERS} watchers`, fanOut],
];

export const bench: Bench = {
  name: "api",
  async *run(): AsyncIterable<Figure> {
    await using servers = await Servers.start();
    for (const [name, measure] of PARTS) {
      const rounds: Record<Side, Round[]> = { bare: [], ours: [] };
      for (const side of SIDES) await measure(servers, side); // warms the compiler up
      for (let turn = 0; turn < ROUNDS; turn++) {
        for (const side of SIDES) rounds[side].push(await measure(servers, side));
      }
      const middle = (side: Side, of: keyof Round) => median(rounds[side].map((round) => round[of]));
      for (const side of SIDES) {
        const who = side === "bare" ? "bare grpc-js" : "State";
        yield { name: `${name}, ${who}`, value: middle(side, "rate"), unit: "/s" };
        yield { name: `${name}, ${who}, processor`, value: middle(side, "cpuUs"), unit: "us" };
      }
      const ratio = middle("ours", "cpuUs") / middle("bare", "cpuUs");
      yield { name: `${name}, processor against bare`, value: ratio, unit: "x", budget: { value: BUDGET, is: "most" } };
      const slower = middle("bare", "rate") / middle("ours", "rate");
      yield { name: `${name}, time against bare`, value: slower, unit: "x", budget: { value: BUDGET, is: "most" } };
    }
  },
};

if (import.meta.main) { for await (const figure of bench.run()) console.log(figureLine(figure)); }
