import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { MemoryState, newResource, Runtime, type SpecOf, watchFor } from "../../mod/cosi/mod.ts";
import { MachineConfigs } from "../../resources/config/machine_config.ts";
import { EtcFileSpecs } from "../../resources/files/etc_file_spec.ts";
import { HostnameSpecs } from "../../resources/network/hostname_spec.ts";
import { HostnameStatuses } from "../../resources/network/hostname_status.ts";
import { ResolverStatuses } from "../../resources/network/resolver_status.ts";
import { networkEtcFileController } from "./etc_file.ts";
import { hostnameConfigController } from "./hostname_config.ts";
import { hostnameMergeController } from "./hostname_merge.ts";
import { hostnameSpecController } from "./hostname_spec.ts";
import { resolverConfigController } from "./resolver_config.ts";
import { resolverMergeController } from "./resolver_merge.ts";
import { resolverSpecController } from "./resolver_spec.ts";

Deno.test("the node's name and name servers go from config and command line into /etc, and back to the default", async () => {
  const state = new MemoryState();
  const runtime = new Runtime(state);
  const names: string[] = [];
  const kernel = { setHostname: (name: string) => names.push(name), setDomainname: (name: string) => names.push(name) };
  const cmdline = "ip=10.0.0.5:::24:b:eth0::10.0.0.54";
  const controllers = [
    ...[
      hostnameConfigController({ cmdline, machineId: "m" }),
      hostnameMergeController(),
      hostnameSpecController(kernel),
    ],
    ...[resolverConfigController(cmdline), resolverMergeController(), resolverSpecController()],
    networkEtcFileController(),
  ];
  for (const controller of controllers) runtime.register(controller);
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  const file = { namespace: EtcFileSpecs.namespace, type: EtcFileSpecs.type };
  const written = (id: string, text: string) =>
    watchFor(state, { ...file, id }, {
      types: ["created", "updated"],
      condition: ({ spec }) => (spec as SpecOf<typeof EtcFileSpecs>).contents.includes(text),
    });

  await written("resolv.conf", "nameserver 10.0.0.54\n");
  strictEqual(names.join(), "b,");
  const yaml = "version: v1alpha1\nmachine: {network: {hostname: a.example.org, nameservers: [10.0.0.53]}}\n";
  const config = await state.create(newResource(MachineConfigs, "v1alpha1", { yaml }));
  await written("resolv.conf", "nameserver 10.0.0.53\nsearch example.org\n");
  deepStrictEqual(names.slice(2), ["a", "example.org"]);
  const merged = await state.get({ namespace: "network", type: HostnameSpecs.type, id: "hostname" });
  strictEqual(merged.metadata.annotations.get("origin.monos.dev/hostname"), "configuration machine.network.hostname");

  await state.destroy(config.metadata);
  await written("resolv.conf", "nameserver 10.0.0.54\n");
  const resolvers = await state.get({ namespace: "network", type: ResolverStatuses.type, id: "resolvers" });
  ok(!(resolvers.spec as SpecOf<typeof ResolverStatuses>).dnsServers.includes("10.0.0.53"));
  stop.abort();
  await running;
});

Deno.test("a domain that the kernel has no room for is shown and written all the same", async () => {
  const state = new MemoryState();
  const runtime = new Runtime(state);
  const names: string[] = [];
  const take = (name: string) => {
    if (name.length > 64) throw new Error("EINVAL");
    names.push(name);
  };
  runtime.register(hostnameSpecController({ setHostname: take, setDomainname: take }));
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  const domainname = `${"b".repeat(60)}.example.org`;
  const wish: SpecOf<typeof HostnameSpecs> = { hostname: "a", domainname, layer: "configuration" };
  await state.create(newResource(HostnameSpecs, "hostname", wish));
  const { namespace, type } = HostnameStatuses;
  const { spec } = await watchFor(state, { namespace, type, id: "hostname" }, { types: ["created"] });
  deepStrictEqual([spec, names], [{ hostname: "a", domainname }, ["a", ""]]);
  stop.abort();
  await running;
});
