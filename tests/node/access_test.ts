/** Who may do what with a running node, and the certificates that it shows. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect } from "node:tls";
import { Client, credentials, type ServiceError, status } from "@grpc/grpc-js";
import { API_PORT } from "../../mod/api/mod.ts";
import { decodeConfig, generateTalosconfig } from "../../mod/config/mod.ts";
import {
  type CertificateAndKey,
  type CertificateInfo,
  certificateInfo,
  encodePem,
  newAuthority,
} from "../../mod/pki/mod.ts";
import { removeIfThere } from "../../image/paths.ts";
import { LiveNode } from "./live_node.ts";

const ADDRESS = "10.98.210.1";
const ADDRESS_DOCUMENT =
  `---\napiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\naddresses:\n    - address: ${ADDRESS}/24\n`;

Deno.test("a node lets in whom its authority has signed, and only to what the role allows", async (t) => {
  await using node = await LiveNode.start();
  await using files = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir();
  files.defer(() => removeIfThere(folder));
  const { crt: crtPem = "", key: keyPem = "" } = decodeConfig(node.config).v1alpha1?.machine?.ca ?? {};
  const authority = { crtPem, keyPem };
  const stranger = await newAuthority({ organization: "talos", kind: "ed25519", years: 1 });
  const write = async (name: string, text: string) => {
    await Deno.writeTextFile(`${folder}/${name}`, text);
    return `${folder}/${name}`;
  };
  const talosconfig = (roles: readonly string[], signer: CertificateAndKey = authority) =>
    generateTalosconfig({ clusterName: "test", endpoints: [node.address], authority: signer, roles });
  const reader = await write("reader", talosconfig(["os:reader"]));
  const operator = await write("operator", talosconfig(["os:operator"]));
  const config = await write("config.yaml", node.config);
  const admitted: readonly { name: string; who: string; command: readonly string[] }[] = [
    { name: "a reader gets addresses", who: reader, command: ["get", "addresses"] },
    { name: "a reader lists services", who: reader, command: ["services"] },
    { name: "an operator gets links", who: operator, command: ["get", "links"] },
  ];
  const mayNot = (what: RegExp, role: string) =>
    new RegExp(`^error: Cannot ${what.source}.*\\(as ${role}, by context "test" in ${folder}/\\w+\\)\n$`);
  const refused: readonly { name: string; who: string; command: readonly string[]; words: RegExp }[] = [
    {
      name: "a reader does not get the machine config",
      who: reader,
      command: ["get", "mc"],
      words: mayNot(/get mc from 10\.98\.2\.2: /, "os:reader"),
    },
    {
      name: "a reader does not get the node's keys",
      who: reader,
      command: ["get", "osrootsecret"],
      words: mayNot(/get osrootsecret from 10\.98\.2\.2: /, "os:reader"),
    },
    {
      name: "a reader does not watch the machine config",
      who: reader,
      command: ["get", "mc", "-w"],
      words: mayNot(/get mc from 10\.98\.2\.2: /, "os:reader"),
    },
    {
      name: "a reader does not shut down",
      who: reader,
      command: ["shutdown", "--wait=false"],
      words: mayNot(
        /shut down 10\.98\.2\.2: .*it needs role "os:admin" or "os:operator", the caller has "os:reader"/,
        "os:reader",
      ),
    },
    {
      name: "an operator does not apply a config",
      who: operator,
      command: ["apply-config", "-f", config],
      words: mayNot(
        /apply the config to 10\.98\.2\.2: .*it needs role "os:admin", the caller has "os:operator"/,
        "os:operator",
      ),
    },
    {
      name: "a certificate without a role",
      who: await write("nobody", talosconfig([])),
      command: ["version", "--short"],
      words: /the caller has no role/,
    },
    {
      name: "a certificate of another authority",
      who: await write("forged", talosconfig(["os:admin"], stranger).replace(/ca: .*/, `ca: ${btoa(crtPem)}`)),
      command: ["get", "addresses"],
      words: /not signed by an authority that this node accepts \(the certificate is that of context "test" in /,
    },
    {
      name: "a node of another authority",
      who: await write("elsewhere", talosconfig(["os:admin"]).replace(/ca: .*/, `ca: ${btoa(stranger.crtPem)}`)),
      command: ["get", "addresses"],
      words:
        /the node's certificate is not signed by the authority of context "test" in .*: is it the file of another cluster\?/,
    },
  ];

  for (const { name, who, command } of admitted) {
    await t.step(name, async () => {
      const { code, text } = await node.ctlAs(who, ...command);
      strictEqual(code, 0, text);
    });
  }
  for (const { name, who, command, words } of refused) {
    await t.step(`refused: ${name}`, async () => {
      const { code, text } = await node.ctlAs(who, ...command);
      strictEqual(code, 1, text);
      match(text, words);
      strictEqual(text.trimEnd().split("\n").at(-1)?.startsWith("error: "), true, text);
    });
  }

  await t.step("refused: no certificate at all", async () => {
    const error = await callWithoutCertificate(node.address, crtPem);
    strictEqual(error?.code, status.UNAUTHENTICATED);
    const reason = "the client sent no certificate; the API needs one, as in a talosconfig";
    strictEqual(error.details, `Cannot admit the caller: ${reason}`);
  });
});

Deno.test("the API's certificate follows the node's addresses, on the same port", async () => {
  await using node = await LiveNode.start();
  const before = await shownCertificate(node.address);
  deepStrictEqual([before.ips.includes(ADDRESS), before.ips.includes(node.address)], [false, true]);
  const listener = listenerOf(node.pid);
  await using watch = node.follow("get", "addresses", "-w");
  await watch.until(/ lo\n/);
  await using log = node.follow("logs", "apid", "-f");
  await log.until(/listening on port 50000/);
  await node.during(`${node.config}${ADDRESS_DOCUMENT}`, async () => {
    await log.until(/serving with new certificates/);
    const shown = await shownCertificate(node.address);
    deepStrictEqual([shown.ips.includes(ADDRESS), shown.ips.includes(node.address)], [true, true]);
    strictEqual(listenerOf(node.pid), listener);
    await watch.until(/eth0\/10\.98\.210\.1/); // a connection from before goes on
  });
});

/** What the server shows to a new connection. */
function shownCertificate(host: string): Promise<CertificateInfo> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: API_PORT, rejectUnauthorized: false }, () => {
      resolve(certificateInfo(encodePem("CERTIFICATE", socket.getPeerCertificate().raw)));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

/** Inode of the socket that listens for the API in the node's network namespace. */
function listenerOf(pid: number): string {
  const port = API_PORT.toString(16).toUpperCase();
  const lines = Deno.readTextFileSync(`/proc/${pid}/net/tcp6`).split("\n").map((line) => line.trim().split(/\s+/));
  const [listener, ...others] = lines.filter(([, local, , state]) => local?.endsWith(`:${port}`) && state === "0A");
  deepStrictEqual(others, []);
  return listener?.[9] ?? "";
}

/** What a client that trusts the node and has no certificate is told. */
function callWithoutCertificate(host: string, caPem: string): Promise<ServiceError | null> {
  const client = new Client(
    `${host}:${API_PORT}`,
    credentials.createSsl(Buffer.from(caPem), null, null, {
      checkServerIdentity: () => undefined,
    }),
    { "grpc.ssl_target_name_override": "address.invalid" },
  );
  return new Promise((resolve) => {
    const bytes = (value: Uint8Array) => Buffer.from(value);
    client.makeUnaryRequest("/machine.MachineService/Version", bytes, bytes, Buffer.alloc(0), (error) => {
      client.close();
      resolve(error);
    });
  });
}
