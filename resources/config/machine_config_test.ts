import { strictEqual, throws } from "node:assert/strict";
import { ConfigError } from "../../mod/config/mod.ts";
import { newResource } from "../../mod/cosi/mod.ts";
import { configOf, MachineConfigs, readConfig } from "./machine_config.ts";

Deno.test("a config is read once, by whoever comes first", () => {
  const yaml = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n";
  const resource = newResource(MachineConfigs, "v1alpha1", { yaml });
  const config = configOf(resource);
  strictEqual(configOf(resource), config);
  strictEqual(readConfig(yaml), config);
  for (let number = 0; number < 9; number++) readConfig(`${yaml}# ${number}\n`);
  strictEqual(configOf(resource), config);
  throws(() => readConfig("kind: Nothing\n"), ConfigError);
});
