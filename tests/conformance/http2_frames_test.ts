/** No frames that a client sends can end the process of a server, or leave it with an error that nobody catches. */
import { strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { create, toBinary } from "@bufbuild/protobuf";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { clientIdentity, serverCertificates, testAuthority } from "../../mod/api/testbed.ts";
import { ApiClient, ApiServer, ResourceClient, ResourceCodec, stateHandlers } from "../../mod/api/mod.ts";
import { WatchRequestSchema } from "../../mod/api/gen/cosi/resource/state_pb.ts";
import { MemoryState } from "../../mod/cosi/mod.ts";
import { brokenFrames, type FramedCall, hastyFrames } from "./http2_frames.ts";
import { numberOf, SeededRandom, testSeed } from "./seeded_random.ts";
import { knowsThings, serveMemory } from "./served_state.ts";
import { KIND } from "./state_fixture.ts";

const CONNECTIONS = numberOf("TEST_CONNECTIONS", 1000);
const AT_ONCE = 8;
const PATIENCE_MS = 100;
const WATCH = toBinary(WatchRequestSchema, create(WatchRequestSchema, { ...KIND, apiVersion: 1, options: {} }));
const CALLS: readonly FramedCall[] = [
  ["/cosi.resource.State/Watch", WATCH], // goes on
  ["/cosi.resource.State/Get", new Uint8Array()], // fails
  ["/nobody/Knows", new Uint8Array()],
];

const KINDS = { "in a hurry": hastyFrames, "that break the protocol": brokenFrames };

/** Sends the frames, in one piece or one a turn, and leaves: at once, soon, or when the server does. */
async function send(random: SeededRandom, socket: Socket, frames: readonly Uint8Array[]): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => socket.destroy()); // the server has had enough
  socket.resume();
  const isWhole = random.below(3) === 0;
  for (const bytes of isWhole ? [Buffer.concat(frames)] : frames) {
    socket.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const timer = setTimeout(() => socket.destroy(), random.below(2) === 0 ? random.below(10) : PATIENCE_MS);
  await closed;
  clearTimeout(timer);
}

async function attack(seed: number, frames: typeof hastyFrames, open: () => Socket): Promise<void> {
  const random = new SeededRandom(seed);
  let left = CONNECTIONS;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) await send(random, open(), frames(random, CALLS));
  }));
}

for (const [kind, frames] of Object.entries(KINDS)) {
  Deno.test(`a server without TLS outlives frames ${kind}`, async () => {
    await using served = await serveMemory();
    const [host, port] = served.address.split(":");
    await attack(testSeed(kind), frames, () => connect({ host: host ?? "", port: Number(port) }));
    strictEqual((await served.remote().list(KIND)).length, 0);
  });

  for (const who of ["a stranger", "an administrator"]) {
    Deno.test(`the machine API outlives frames ${kind} of ${who}`, async () => {
      const authority = await testAuthority();
      const { crtPem, keyPem } = clientIdentity(authority, ["os:admin"]);
      const handlers = stateHandlers(() => new MemoryState(), new ResourceCodec(knowsThings));
      const certificates = serverCertificates(authority);
      await using server = new ApiServer({
        hostname: "127.0.0.1",
        port: 0,
        certificates,
        handlers,
        isLocal: () => true,
      });
      const port = await server.listen();
      const identity = who === "a stranger" ? {} : { cert: crtPem, key: keyPem };
      const options = {
        host: "127.0.0.1",
        port,
        ca: authority.crtPem,
        rejectUnauthorized: false,
        ALPNProtocols: ["h2"],
      };
      await attack(testSeed(`${kind} of ${who}`), frames, () => connectTls({ ...options, ...identity }));
      using client = new ApiClient({ endpoints: [`127.0.0.1:${port}`], caPem: authority.crtPem, crtPem, keyPem });
      strictEqual((await new ResourceClient(client).list(KIND)).length, 0);
    });
  }
}
