import { strictEqual, throws } from "node:assert/strict";
import { ConfigError, decodeConfig } from "../../mod/config/mod.ts";
import { newResource } from "../../mod/cosi/mod.ts";
import { configOf, MachineConfigs } from "./machine_config.ts";

Deno.test("a config is read once, by whoever comes first", () => {
  const yaml = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n";
  const resource = newResource(MachineConfigs, "v1alpha1", { yaml });
  const config = configOf(resource);
  strictEqual(configOf(resource), config);
  strictEqual(decodeConfig(yaml), config);
  for (let number = 0; number < 9; number++) decodeConfig(`${yaml}# ${number}\n`);
  strictEqual(configOf(resource), config);
  throws(() => decodeConfig("kind: Nothing\n"), ConfigError);
});
