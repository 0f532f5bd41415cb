import { rejects, strictEqual } from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { issueCertificate } from "../pki/mod.ts";
import { ApiClient } from "./client.ts";
import { LogsRequestSchema } from "./gen/machine/log_pb.ts";
import { HostnameResponseSchema } from "./gen/machine/version_pb.ts";
import { MachineService } from "./gen/machine/machine_pb.ts";
import { EventsRequestSchema } from "./gen/machine/event_pb.ts";
import { handleStream, handleUnary } from "./handler.ts";
import { MACHINE_METHODS } from "./machine_methods.ts";
import { methodOf } from "./method.ts";
import { clientIdentity, serverCertificates, testAuthority, Testbed } from "./testbed.ts";

const EMPTY = create(EmptySchema);
const HOSTNAME = MACHINE_METHODS.hostname;
const named = (hostname: string) =>
  handleUnary(HOSTNAME, () => create(HostnameResponseSchema, { messages: [{ hostname }] }));

/** A client of these endpoints that the node of `bed` admits. */
function clientOf(bed: Testbed, endpoints: string[], caPem = bed.authority.crtPem): ApiClient {
  return new ApiClient({ endpoints, caPem, ...clientIdentity(bed.authority, ["os:reader"]) });
}

/** A loopback port that nobody listens on. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

Deno.test("ApiClient leaves out an endpoint that cannot be reached", async () => {
  await using bed = await Testbed.start([named("a")]);
  using client = clientOf(bed, [`127.0.0.1:${freePort()}`, `127.0.0.1:${bed.port}`]);
  for (let turn = 0; turn < 3; turn++) {
    strictEqual((await client.call(HOSTNAME, EMPTY)).messages[0]?.hostname, "a");
  }
});

/** Too long for a name: nobody is asked for it. */
const NO_NAME = "x".repeat(64);

Deno.test("ApiClient leaves out an endpoint that takes connections and says nothing, and a name that nobody knows", async () => {
  await using bed = await Testbed.start([named("a")]);
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = `127.0.0.1:${silent.addr.port}`;
  const options = { connectTimeoutMs: 50 };
  using client = clientOf(bed, [open, NO_NAME, `127.0.0.1:${bed.port}`]);
  strictEqual((await client.call(HOSTNAME, EMPTY, options)).messages[0]?.hostname, "a");
  using unheard = clientOf(bed, [open, NO_NAME]);
  const message = new RegExp(
    `^Cannot connect to "${open}": timed out after 0.05 s; "${NO_NAME}:50000": Name resolution failed$`,
  );
  const expected = { code: "UNAVAILABLE", message };
  await rejects(unheard.call(HOSTNAME, EMPTY, options), expected);
  await unheard.call(HOSTNAME, EMPTY, options).catch(() => {}); // the next one begins with the first endpoint again
  await rejects(Array.fromAsync(unheard.stream(MACHINE_METHODS.logs, create(LogsRequestSchema), options)), expected);
});

Deno.test("ApiClient names every endpoint that failed, and why", async () => {
  await using bed = await Testbed.start([named("a")]);
  const [first, second] = [freePort(), freePort()];
  using client = clientOf(bed, [`127.0.0.1:${first}`, `127.0.0.1:${second}`]);
  const message = new RegExp(`^Cannot connect to "127.0.0.1:${first}": .*ECONNREFUSED.*; "127.0.0.1:${second}": `);
  await rejects(client.call(HOSTNAME, EMPTY), { code: "UNAVAILABLE", message });
});

Deno.test("ApiClient refuses a node of another authority", async () => {
  await using bed = await Testbed.start([named("a")]);
  using client = clientOf(bed, [`127.0.0.1:${bed.port}`], (await testAuthority()).crtPem);
  await rejects(client.call(HOSTNAME, EMPTY), { code: "UNAVAILABLE", message: /certificate/ });
});

Deno.test("ApiClient refuses a node whose certificate is for another address", async () => {
  await using bed = await Testbed.start([named("a")]);
  const { authority } = bed;
  const elsewhere = issueCertificate({ authority, subject: {}, ips: ["10.9.9.9"], usage: "server", validSeconds: 60 });
  bed.server.setCertificates({ ...serverCertificates(authority), ...elsewhere });
  using client = clientOf(bed, [`127.0.0.1:${bed.port}`]);
  await rejects(client.call(HOSTNAME, EMPTY), {
    code: "UNAVAILABLE",
    message: /is for 10\.9\.9\.9, not for 127\.0\.0\.1/,
  });
});

Deno.test("ApiClient verifies a name as an endpoint too", async () => {
  await using bed = await Testbed.start([named("a")]);
  const { authority } = bed;
  using client = clientOf(bed, [`localhost:${bed.port}`]);
  await rejects(client.call(HOSTNAME, EMPTY), { code: "UNAVAILABLE", message: /localhost/ });
  const dnsNames = ["localhost"];
  const renewed = issueCertificate({ authority, subject: {}, dnsNames, usage: "server", validSeconds: 60 });
  bed.server.setCertificates({ ...serverCertificates(authority), ...renewed });
  using second = clientOf(bed, [`localhost:${bed.port}`]);
  await second.call(HOSTNAME, EMPTY);
});

Deno.test("ApiClient notices that a machine is gone which says nothing of it", async () => {
  const { promise: isCalled, resolve: called } = Promise.withResolvers<void>();
  const endless = handleStream(MACHINE_METHODS.events, (_request, { signal }) => {
    called();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  });
  await using bed = await Testbed.start([endless]);
  using relay = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const power = new AbortController();
  const relayed = relayUntil(power.signal, relay, bed.port);
  const { authority } = bed;
  const endpoints = [`127.0.0.1:${relay.addr.port}`];
  using client = new ApiClient({
    endpoints,
    keepAliveMs: 300,
    caPem: authority.crtPem,
    ...clientIdentity(authority, ["os:reader"]),
  });
  const events = Array.fromAsync(client.stream(MACHINE_METHODS.events, create(EventsRequestSchema)));
  await isCalled;
  power.abort();
  await rejects(events, { code: "UNAVAILABLE", message: "Connection dropped" });
  (await relayed)[Symbol.dispose]();
});

/** Passes on what comes over one connection, until the signal; then it keeps both ends open and passes on nothing. */
async function relayUntil(signal: AbortSignal, listener: Deno.Listener, port: number): Promise<Disposable> {
  const near = await listener.accept();
  const far = await Deno.connect({ hostname: "127.0.0.1", port });
  const pass = async (from: Deno.Conn, to: Deno.Conn) => {
    const bytes = new Uint8Array(1 << 16);
    for (let count: number | null; (count = await from.read(bytes).catch(() => null)) !== null;) {
      if (!signal.aborted) await to.write(bytes.subarray(0, count));
    }
  };
  void Promise.all([pass(near, far), pass(far, near)]); // end when both are closed
  return {
    [Symbol.dispose]() {
      near.close();
      far.close();
    },
  };
}

Deno.test("ApiClient makes calls of a generated service, gives up in time, and on request", async () => {
  await using bed = await Testbed.start([handleUnary(HOSTNAME, () => new Promise<never>(() => {}))]);
  using client = clientOf(bed, [`127.0.0.1:${bed.port}`]);
  const method = methodOf(MachineService.method.hostname);
  strictEqual(method.path, HOSTNAME.path);
  await rejects(client.call(HOSTNAME, EMPTY, { timeoutMs: 20 }), { code: "DEADLINE_EXCEEDED" });
  await rejects(client.call(HOSTNAME, EMPTY, { signal: AbortSignal.abort() }), { code: "CANCELLED" });
});
