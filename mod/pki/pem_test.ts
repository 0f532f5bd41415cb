import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { parse } from "@std/yaml";
import { certificateInfo } from "./certificate_info.ts";
import { decodePem, encodePem, formatPrivateKey, fromBase64Pem, parsePrivateKey, toBase64Pem } from "./pem.ts";

interface Pair {
  crt: string;
  key: string;
}
const path = new URL("../../tests/data/config/secrets.yaml", import.meta.url);
const { certs } = parse(await Deno.readTextFile(path)) as { certs: Record<string, Pair> };

for (const [name, label] of Object.entries({ os: "ED25519", etcd: "EC", k8s: "EC", k8sserviceaccount: "RSA" })) {
  Deno.test(`parsePrivateKey() and formatPrivateKey() keep the ${label} key of "${name}"`, () => {
    const pem = fromBase64Pem(certs[name]?.key ?? "");
    strictEqual(pem.split("\n")[0], `-----BEGIN ${label} PRIVATE KEY-----`);
    strictEqual(formatPrivateKey(parsePrivateKey(pem)), pem);
    strictEqual(toBase64Pem(pem), certs[name]?.key);
  });
}

Deno.test("certificateInfo() reads certificates made elsewhere", () => {
  const info = certificateInfo(fromBase64Pem(certs.os?.crt ?? ""));
  deepStrictEqual(info.organizations, ["talos"]);
  strictEqual(info.isAuthority, true);
  strictEqual(info.serial, "ea5f388354c2854c9bcd491218b3e5");
  strictEqual(info.notAfter.toISOString(), "2036-11-26T21:12:31.000Z");
  deepStrictEqual(certificateInfo(fromBase64Pem(certs.k8saggregator?.crt ?? "")).organizations, []);
});

Deno.test("decodePem() reads several blocks and skips what is between", () => {
  const text = `# first\n${encodePem("A", Uint8Array.of(1, 2))}\nnoise\n${encodePem("B", new Uint8Array(100))}`;
  deepStrictEqual(decodePem(text).map(({ label, bytes }) => [label, bytes.length]), [["A", 2], ["B", 100]]);
});

Deno.test("broken keys and base64 are refused without showing them", () => {
  throws(() => parsePrivateKey("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), SyntaxError);
  throws(
    () => parsePrivateKey("secret"),
    (error: unknown) => error instanceof SyntaxError && !/secret/.test(error.message),
  );
  throws(() => fromBase64Pem("!!"), SyntaxError);
  throws(() => fromBase64Pem("c2VjcmV0"), SyntaxError);
});
