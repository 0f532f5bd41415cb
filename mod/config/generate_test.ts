import { deepStrictEqual, doesNotMatch, ok, strictEqual, throws } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { parse, parseAll } from "@std/yaml";
import { certificateInfo, fromBase64Pem, parsePrivateKey, parseSecretsBundle } from "../pki/mod.ts";
import { generateConfig } from "./generate.ts";
import type { GenerateOptions } from "./generate_options.ts";
import { generateTalosconfig } from "./generate_talosconfig.ts";

const DATA = new URL("../../tests/data/config/", import.meta.url);
const read = (path: string) => Deno.readTextFile(new URL(path, DATA));
const secrets = await parseSecretsBundle(await read("secrets.yaml"));
const image =
  "factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.14.0-beta.1";
const plain: Omit<GenerateOptions, "machineType"> = {
  clusterName: "demo",
  endpoint: "https://10.5.0.2:6443",
  secrets,
  install: { disk: "/dev/sda", image },
  kubernetesVersion: "v1.37.0-rc.1",
};
const folders: { folder: string; options: Omit<GenerateOptions, "machineType"> }[] = [
  { folder: "v1.12", options: { ...plain, contract: "v1.12" } },
  { folder: "v1.14", options: { ...plain, contract: "v1.14" } },
  {
    folder: "options",
    options: {
      ...plain,
      contract: "v1.14",
      endpoint: "https://k8s.example.org:6443",
      install: { disk: "/dev/vda", image },
      kubernetesVersion: "1.36.3",
      dnsDomain: "example.local",
      additionalSans: ["10.5.0.100", "api.example.org"],
      registryMirrors: { "docker.io": ["https://mirror.example.org"] },
      kubeSpan: "enabled",
    },
  },
];
for (const { folder, options } of folders) {
  for (const machineType of ["controlplane", "worker"] as const) {
    Deno.test(`generateConfig() gives ${folder}/${machineType}.yaml`, async () => {
      const text = generateConfig({ ...options, machineType });
      deepStrictEqual(parseAll(text), parseAll(await read(`${folder}/${machineType}.yaml`)));
    });
  }
}

Deno.test("generateConfig() options of the v1.12 shape, without install, with more documents", () => {
  const [config, ...documents] = parseAll(generateConfig({
    clusterName: "demo",
    endpoint: "https://demo:6443",
    secrets,
    machineType: "controlplane",
    additionalSans: ["demo"],
    registryMirrors: { "docker.io": ["https://m"] },
    kubeSpan: "enabled",
    documents: [{ apiVersion: "v1alpha1", kind: "DummyLinkConfig", name: "dummy0" }],
  })) as [Record<string, Record<string, unknown>>, ...{ kind: string }[]];
  ok(!("install" in (config.machine ?? {})));
  deepStrictEqual(config.machine?.registries, { mirrors: { "docker.io": { endpoints: ["https://m"] } } });
  deepStrictEqual(config.machine?.network, { kubespan: { enabled: true } });
  deepStrictEqual((config.cluster?.apiServer as Record<string, unknown>).certSANs, ["demo"]);
  deepStrictEqual(documents.map(({ kind }) => kind), ["HostnameConfig", "DummyLinkConfig"]);
});

Deno.test("generateConfig() gives a worker no private key", () => {
  for (const contract of ["v1.12", "v1.14"] as const) {
    const text = generateConfig({ ...plain, machineType: "worker", contract });
    doesNotMatch(text, /PRIVATE KEY|key: \S{3,}/);
    for (const { key } of Object.values(secrets.certs)) ok(!text.includes(key));
  }
});

Deno.test("generateConfig() refuses an endpoint that is not https, and no name", () => {
  for (const endpoint of ["10.5.0.2:6443", "http://10.5.0.2:6443", "demo"]) {
    throws(() => generateConfig({ ...plain, endpoint, machineType: "worker" }), TypeError);
  }
  throws(() => generateConfig({ ...plain, clusterName: "", machineType: "worker" }), TypeError);
});

Deno.test("generateTalosconfig() holds a client certificate with the roles", () => {
  const { os } = secrets.certs;
  const authority = { crtPem: fromBase64Pem(os.crt), keyPem: fromBase64Pem(os.key) };
  const text = generateTalosconfig({ clusterName: "demo", endpoints: ["10.5.0.2"], nodes: ["10.5.0.2"], authority });
  const { context, contexts } = parse(text) as {
    context: string;
    contexts: Record<string, Record<string, string> | undefined>;
  };
  strictEqual(context, "demo");
  const { ca = "", crt = "", key = "", endpoints, nodes } = contexts.demo ?? {};
  deepStrictEqual({ endpoints, nodes }, { endpoints: ["10.5.0.2"], nodes: ["10.5.0.2"] });
  strictEqual(ca, os.crt);
  const certificate = new X509Certificate(fromBase64Pem(crt));
  ok(certificate.verify(new X509Certificate(authority.crtPem).publicKey));
  ok(certificate.checkPrivateKey(parsePrivateKey(fromBase64Pem(key))));
  deepStrictEqual(certificateInfo(fromBase64Pem(crt)).organizations, ["os:admin"]);
});
