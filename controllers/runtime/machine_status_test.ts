import { deepStrictEqual } from "node:assert/strict";
import { unmet } from "./machine_status.ts";

const READY = { addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true };
const UP = { running: true, healthy: true, unknown: false };

Deno.test("unmet() is empty when all is well, and while a health is not known yet", () => {
  deepStrictEqual(
    unmet(READY, [{ id: "etcd", ...UP }, { id: "api", running: true, healthy: false, unknown: true }]),
    [],
  );
});
Deno.test("unmet() names what the network and the services lack", () => {
  deepStrictEqual(
    unmet({ ...READY, addressReady: false, hostnameReady: false }, [
      { id: "containerd", running: false, healthy: false, unknown: true },
      { id: "etcd", ...UP, healthy: false },
    ]),
    [
      { name: "network", reason: "waits for address, hostname" },
      { name: "service containerd", reason: "does not run" },
      { name: "service etcd", reason: "is not healthy" },
    ],
  );
  deepStrictEqual(unmet(undefined, [])[0]?.name, "network");
});
