import { deepStrictEqual } from "node:assert/strict";
import type { EventView } from "../api/mod.ts";
import { eventCells } from "./events.ts";

const HEALTH = { unknown: false, healthy: true, lastMessage: "", lastChangeMs: 0 };
const rows: readonly [payload: EventView["payload"], kind: string, source: string, message: string][] = [
  [{ kind: "sequence", sequence: "boot", action: "noop" }, "machine.SequenceEvent", "boot", "NOOP"],
  [
    { kind: "sequence", sequence: "boot", action: "stop", error: { code: "locked", message: "busy" } },
    ...["machine.SequenceEvent", "boot", "locked: busy"] as const,
  ],
  [
    { kind: "serviceState", service: "etcd", action: "Running", message: "started", health: HEALTH },
    ...["machine.ServiceStateEvent", "etcd", "RUNNING: started"] as const,
  ],
  [{ kind: "restart", command: 0x1234567 }, "machine.RestartEvent", "kernel", "reboot(2) with 0x1234567"],
  [{ kind: "configLoadError", error: "bad" }, "machine.ConfigLoadErrorEvent", "config", "bad"],
  [{ kind: "address", hostname: "n", addresses: ["a", "b"] }, "machine.AddressEvent", "n", "a,b"],
  [
    { kind: "machineStatus", stage: "booting", ready: false, unmet: [{ name: "time", reason: "not in sync" }] },
    ...["machine.MachineStatusEvent", "booting", "ready: false, unmet conditions: time: not in sync"] as const,
  ],
  [undefined, "unknown", "", "this program does not know its kind"],
];
for (const [payload, kind, source, message] of rows) {
  Deno.test(`eventCells() ${kind} ${message}`, () => {
    deepStrictEqual(eventCells({ id: "i", actorId: "a", payload }), ["i", kind, "a", source, message]);
  });
}
