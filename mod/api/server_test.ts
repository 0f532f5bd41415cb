import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "node:tls";
import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { issueCertificate } from "../pki/mod.ts";
import type { ApiClient } from "./client.ts";
import { ApiError, type CodeName } from "./errors.ts";
import { DataSchema } from "./gen/common/common_pb.ts";
import { HostnameResponseSchema } from "./gen/machine/version_pb.ts";
import { handleStream, handleUnary } from "./handler.ts";
import { stream, unary } from "./method.ts";
import { clientIdentity, serverCertificates, testAuthority, Testbed } from "./testbed.ts";

const HOSTNAME = unary("/machine.MachineService/Hostname", EmptySchema, HostnameResponseSchema);
const REBOOT = unary("/machine.MachineService/Reboot", EmptySchema, EmptySchema);
const DMESG = unary("/machine.MachineService/Dmesg", EmptySchema, EmptySchema);
const RESET = unary("/machine.MachineService/Reset", EmptySchema, EmptySchema);
const DISK_USAGE = stream("/machine.MachineService/DiskUsage", EmptySchema, DataSchema);
const LOGS = stream("/machine.MachineService/Logs", EmptySchema, DataSchema);
const EMPTY = create(EmptySchema);

const hostname = handleUnary(HOSTNAME, (_request, { askedAs }) => {
  const names = askedAs.length === 0 ? [undefined] : askedAs;
  return create(HostnameResponseSchema, {
    messages: names.map((name) => ({
      hostname: "node-1",
      ...(name === undefined ? {} : { metadata: { hostname: name } }),
    })),
  });
});

/** What a call fails with. */
async function failure(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("The call ended well");
}

Deno.test("ApiServer answers a client with a fitting role, and `nodes` marks the answer", async () => {
  await using bed = await Testbed.start([hostname]);
  const client = bed.client(["os:reader"]);
  const plain = await client.call(HOSTNAME, EMPTY);
  strictEqual(plain.messages[0]?.hostname, "node-1");
  strictEqual(plain.messages[0]?.metadata, undefined);
  const marked = await client.call(HOSTNAME, EMPTY, { nodes: ["127.0.0.1", "node-1"] });
  deepStrictEqual(marked.messages.map(({ metadata }) => metadata?.hostname), ["127.0.0.1", "node-1"]);
});

interface Refusal {
  readonly name: string;
  readonly code: CodeName;
  readonly text: RegExp;
  call(bed: Testbed): Promise<unknown>;
}

const asReader = (bed: Testbed): ApiClient => bed.client(["os:reader"]);
const refusals: readonly Refusal[] = [
  {
    name: "a certificate of another authority",
    code: "UNAUTHENTICATED",
    text: /not signed by an authority/,
    call: async (bed) => bed.client([], clientIdentity(await testAuthority(), ["os:admin"])).call(HOSTNAME, EMPTY),
  },
  {
    name: "a server's certificate shown by a client",
    code: "UNAUTHENTICATED",
    text: /not made for clients/,
    call: (bed) => bed.client([], serverCertificates(bed.authority)).call(HOSTNAME, EMPTY),
  },
  {
    name: "a certificate made for servers and clients",
    code: "UNAUTHENTICATED",
    text: /not made for clients .* alone/,
    call: (bed) => {
      const { authority } = bed;
      const subject = { organization: "os:admin" };
      const both = issueCertificate({ authority, subject, usage: "both", validSeconds: 60 });
      return bed.client([], both).call(HOSTNAME, EMPTY);
    },
  },
  {
    name: "an expired certificate",
    code: "UNAUTHENTICATED",
    text: /expired at 20/,
    call: (bed) => {
      const subject = { organization: "os:admin" };
      const now = new Date(Date.now() - 86_400_000);
      const { authority } = bed;
      const old = issueCertificate({ authority, subject, usage: "client", validSeconds: 60, now });
      return bed.client([], old).call(HOSTNAME, EMPTY);
    },
  },
  {
    name: "a missing role",
    code: "PERMISSION_DENIED",
    text: /needs role "os:admin" or "os:operator", the caller has "os:reader"/,
    call: (bed) => asReader(bed).call(REBOOT, EMPTY),
  },
  {
    name: "a certificate without roles",
    code: "PERMISSION_DENIED",
    text: /the caller has no role/,
    call: (bed) => bed.client([]).call(HOSTNAME, EMPTY),
  },
  {
    name: "a node elsewhere",
    code: "UNAVAILABLE",
    text: /Cannot reach "10\.9\.9\.9" through this node/,
    call: (bed) => asReader(bed).call(HOSTNAME, EMPTY, { node: "10.9.9.9" }),
  },
  {
    name: "`node` together with `nodes`",
    code: "INVALID_ARGUMENT",
    text: /must hold exactly one/,
    call: (bed) => asReader(bed).call(HOSTNAME, EMPTY, { node: "node-1", nodes: ["node-1"] }),
  },
  {
    name: "a method that the node does not answer",
    code: "UNIMPLEMENTED",
    text: /Cannot call "\/machine\.MachineService\/Dmesg": .*does not answer it/,
    call: (bed) => asReader(bed).call(DMESG, EMPTY),
  },
  {
    name: "a missing role for a method that the node does not answer",
    code: "PERMISSION_DENIED",
    text: /needs role "os:admin", the caller has "os:reader"/,
    call: (bed) => asReader(bed).call(RESET, EMPTY),
  },
  {
    name: "a method of streams that the node does not answer",
    code: "UNIMPLEMENTED",
    text: /Cannot call "\/machine\.MachineService\/DiskUsage"/,
    call: (bed) => Array.fromAsync(asReader(bed).stream(DISK_USAGE, EMPTY)),
  },
  {
    name: "an unknown method",
    code: "UNIMPLEMENTED",
    text: /./,
    call: (bed) => asReader(bed).call(unary("/machine.MachineService/Nothing", EmptySchema, EmptySchema), EMPTY),
  },
];

const reboot = handleUnary(REBOOT, () => EMPTY);
for (const { name, code, text, call } of refusals) {
  Deno.test(`ApiServer refuses ${name} with ${code}`, async () => {
    await using bed = await Testbed.start([hostname, reboot]);
    const error = await failure(call(bed));
    strictEqual(error.code, code);
    ok(text.test(error.message), error.message);
  });
}

Deno.test("ApiServer tells a client without certificate what is missing", async () => {
  await using bed = await Testbed.start([hostname]);
  const { default: grpc } = await import("@grpc/grpc-js");
  const ca = new TextEncoder().encode(bed.authority.crtPem);
  const { Buffer } = await import("node:buffer");
  const credentials = grpc.credentials.createSsl(Buffer.from(ca), null, null, { checkServerIdentity: () => undefined });
  const client = new grpc.Client(`127.0.0.1:${bed.port}`, credentials, {
    "grpc.ssl_target_name_override": "a.invalid",
  });
  const { promise, resolve } = Promise.withResolvers<{ code: number; details: string } | null>();
  const { path, request, response } = HOSTNAME;
  client.makeUnaryRequest(path, request.encode, response.decode, EMPTY, (error) => resolve(error));
  const error = await promise;
  client.close();
  strictEqual(error?.code, grpc.status.UNAUTHENTICATED);
  ok(/sent no certificate/.test(error.details), error.details);
});

Deno.test("ApiServer takes the roles of an impersonator from the metadata only", async () => {
  await using bed = await Testbed.start([hostname]);
  const error = await failure(bed.client(["os:impersonator", "os:admin"]).call(HOSTNAME, EMPTY));
  strictEqual(error.code, "PERMISSION_DENIED");
});

Deno.test("ApiServer shows a renewed certificate without dropping the port or open connections", async () => {
  await using bed = await Testbed.start([hostname]);
  const before = bed.client(["os:reader"]);
  await before.call(HOSTNAME, EMPTY);
  const first = await shownSerial(bed);
  bed.server.setCertificates(serverCertificates(bed.authority));
  ok(await shownSerial(bed) !== first);
  await before.call(HOSTNAME, EMPTY);
});

Deno.test("ApiServer drops a connection once its authority is not accepted any more", async () => {
  await using bed = await Testbed.start([hostname]);
  const client = bed.client(["os:reader"]);
  await client.call(HOSTNAME, EMPTY);
  const other = await testAuthority();
  bed.server.setCertificates(serverCertificates(bed.authority, [other.crtPem]));
  await failure(client.call(HOSTNAME, EMPTY)); // on the torn connection, if it has not noticed
  strictEqual((await failure(client.call(HOSTNAME, EMPTY))).code, "UNAUTHENTICATED");
  await bed.client([], clientIdentity(other, ["os:reader"])).call(HOSTNAME, EMPTY);
});

Deno.test("ApiServer stays as it is when new certificates are broken", async () => {
  await using bed = await Testbed.start([hostname]);
  const broken = {
    ...serverCertificates(bed.authority),
    keyPem: "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
  };
  await rejects(() => Promise.resolve().then(() => bed.server.setCertificates(broken)), SyntaxError);
  await bed.client(["os:reader"]).call(HOSTNAME, EMPTY);
});

/** Serial number of the certificate that the server shows to a new connection. */
function shownSerial(bed: Testbed): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(
    { port: bed.port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] },
    () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    },
  );
  socket.on("error", reject);
  return promise;
}

Deno.test("ApiServer closes at once, also while a client dallies over its handshake", async () => {
  const bed = await Testbed.start([hostname]);
  await bed.client(["os:reader"]).call(HOSTNAME, EMPTY);
  using dallying = await Deno.connect({ hostname: "127.0.0.1", port: bed.port });
  await dallying.write(Uint8Array.of(0x16));
  await bed[Symbol.asyncDispose]();
  await rejects(Deno.connect({ hostname: "127.0.0.1", port: bed.port }), Deno.errors.ConnectionRefused);
});

Deno.test("ApiServer.drain() lets arrive what was sent, then ends what goes on, and says why", async () => {
  const last = create(DataSchema, { bytes: new Uint8Array(100_000) });
  const { promise: isHeard, resolve: heard } = Promise.withResolvers<void>();
  const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  await using bed = await Testbed.start([
    handleStream(LOGS, async (_request, context) => {
      context.send(create(DataSchema));
      await isHeard;
      sent();
      await new Promise((resolve) => setTimeout(resolve, 0)); // on the way down there is still something to say
      context.send(last);
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      context.send(last); // nobody listens any more
      end();
    }),
  ]);
  const sizes: number[] = [];
  const reading = failure((async () => {
    for await (const { bytes } of asReader(bed).stream(LOGS, EMPTY)) {
      sizes.push(bytes.length);
      heard();
    }
  })());
  await isSent;
  await bed.server.drain(50);
  const { code, message } = await reading;
  deepStrictEqual([code, message], ["UNAVAILABLE", "Cannot go on: the API of this node is going down"]);
  deepStrictEqual(sizes, [0, 100_000]);
  await isOver;
});

Deno.test("a handler that throws gives its error's code, whether at once or later", async () => {
  const thrown = new ApiError("FAILED_PRECONDITION", "Cannot do it: not now");
  await using bed = await Testbed.start([
    handleUnary(HOSTNAME, () => Promise.reject(thrown)),
    handleStream(LOGS, (_request, { send }) => {
      void send;
      throw thrown;
    }),
  ]);
  const client = bed.client(["os:reader"]);
  strictEqual((await failure(client.call(HOSTNAME, EMPTY))).code, "FAILED_PRECONDITION");
  strictEqual((await failure(Array.fromAsync(client.stream(LOGS, EMPTY)))).message, thrown.message);
});

Deno.test("an error whose text is too long or broken arrives, cut and mended", async () => {
  const texts = ["x".repeat(200_000), "ü".repeat(100_000), "half \ud83d"];
  await using bed = await Testbed.start([
    handleUnary(HOSTNAME, () => Promise.reject(new ApiError("NOT_FOUND", texts[0] ?? ""))),
    handleStream(LOGS, async (_request, context) => {
      await context.send(create(DataSchema));
      throw new ApiError("NOT_FOUND", texts[0] ?? "");
    }),
  ]);
  const client = bed.client(["os:reader"]);
  for (const cut of ["x".repeat(16_384) + "…", "ü".repeat(8192) + "…", "half \ufffd"]) {
    for (const call of [client.call(HOSTNAME, EMPTY), Array.fromAsync(client.stream(LOGS, EMPTY))]) {
      const { code, message } = await failure(call);
      deepStrictEqual([code, message], ["NOT_FOUND", cut]);
    }
    texts.shift();
  }
});

Deno.test("a stream waits for a slow caller, and ends when the caller leaves", async () => {
  const ended = Promise.withResolvers<number>();
  const chunk = create(DataSchema, { bytes: new Uint8Array(64 << 10) });
  const endless = handleStream(LOGS, async (_request, context) => {
    let sent = 0;
    for (; !context.signal.aborted; sent++) await context.send(chunk);
    ended.resolve(sent);
  });
  await using bed = await Testbed.start([endless]);
  for await (const message of bed.client(["os:reader"]).stream(LOGS, EMPTY)) {
    strictEqual(message.bytes.length, chunk.bytes.length);
    break;
  }
  ok(await ended.promise < 10_000);
});
