import { notStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { formatPrivateKeyPkcs8, issueCertificate, newAuthority, parsePrivateKey } from "../mod/pki/mod.ts";
import { TaskError } from "./task.ts";
import { freePort, runningPid, stopVm, waitForTls } from "./vm.ts";

Deno.test("freePort() takes the preferred port, and another one when that is in use", () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  notStrictEqual(freePort(listener.addr.port), listener.addr.port);
  const free = freePort(0);
  strictEqual(freePort(free), free);
});

Deno.test("waitForTls() returns once a server speaks TLS, whoever signed its certificate", async () => {
  const authority = await newAuthority({ organization: "test", kind: "ed25519", years: 1 });
  const { crtPem, keyPem } = issueCertificate({ authority, subject: {}, usage: "server", validSeconds: 60 });
  const key = formatPrivateKeyPkcs8(parsePrivateKey(keyPem));
  using listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert: crtPem, key });
  const accepted = listener.accept().then(async (connection) => {
    await connection.handshake();
    connection.close();
  });
  await waitForTls(listener.addr.port, 10_000);
  await accepted;
});

Deno.test("waitForTls() is not content with a port that only accepts", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = (async () => {
    for await (const connection of listener) connection.close();
  })();
  await rejects(waitForTls(listener.addr.port, 200), TaskError);
  listener.close();
  await accepted;
});

Deno.test("stopVm() knows that nothing of that name runs", async () => {
  strictEqual(await runningPid("none-such"), undefined);
  strictEqual(await stopVm("none-such"), false);
});
