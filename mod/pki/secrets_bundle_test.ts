import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { parse, stringify } from "@std/yaml";
import { fromBase64Pem, parsePrivateKey } from "./pem.ts";
import { formatSecretsBundle, newSecretsBundle, parseSecretsBundle, SecretsBundleError } from "./secrets_bundle.ts";

const FILE = await Deno.readTextFile(new URL("../../tests/data/config/secrets.yaml", import.meta.url));

Deno.test("parseSecretsBundle() reads a file made elsewhere, formatSecretsBundle() writes it back", async () => {
  const bundle = await parseSecretsBundle(FILE);
  strictEqual(bundle.trustdinfo.token, "agkzvx.6n8wo38zfxdpjpdf");
  strictEqual(await formatSecretsBundle(bundle), FILE);
});

Deno.test("newSecretsBundle() makes what parseSecretsBundle() takes, each authority with its key", async () => {
  const bundle = await newSecretsBundle({ rsaBits: 2048 });
  deepStrictEqual(await parseSecretsBundle(await formatSecretsBundle(bundle)), bundle);
  match(bundle.secrets.bootstraptoken, /^[a-z0-9]{6}\.[a-z0-9]{16}$/);
  const subjects = { etcd: "O=etcd", k8s: "O=kubernetes", k8saggregator: "", os: "O=talos" } as const;
  for (const name of ["etcd", "k8s", "k8saggregator", "os"] as const) {
    const certificate = new X509Certificate(fromBase64Pem(bundle.certs[name].crt));
    strictEqual(certificate.checkPrivateKey(parsePrivateKey(fromBase64Pem(bundle.certs[name].key))), true);
    strictEqual(certificate.subject ?? "", subjects[name]);
  }
});

const changes: { name: string; change: (bundle: Record<string, Record<string, unknown>>) => void; field: string }[] = [
  { name: "a missing part", change: (bundle) => delete bundle.trustdinfo, field: "trustdinfo" },
  {
    name: "an unknown field",
    change: (bundle) => Object.assign(bundle.cluster ?? {}, { idd: 1 }),
    field: "cluster.idd",
  },
  {
    name: "a short secret",
    change: (bundle) => Object.assign(bundle.cluster ?? {}, { id: "AAAA" }),
    field: "cluster.id",
  },
  {
    name: "a bad token",
    change: (bundle) => Object.assign(bundle, { trustdinfo: { token: "x.y" } }),
    field: "trustdinfo.token",
  },
  {
    name: "a bad key",
    change: (bundle) => Object.assign(bundle.certs ?? {}, { k8sserviceaccount: { key: "AAAA" } }),
    field: "certs.k8sserviceaccount.key",
  },
];
for (const { name, change, field } of changes) {
  Deno.test(`parseSecretsBundle() refuses ${name}`, async () => {
    const bundle = parse(FILE) as Record<string, Record<string, unknown>>;
    change(bundle);
    await rejects(
      parseSecretsBundle(stringify(bundle)),
      (error) => error instanceof SecretsBundleError && error.field === field,
    );
  });
}
