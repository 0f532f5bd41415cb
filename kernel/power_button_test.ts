import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { genlFamily } from "./genetlink.ts";
import { isPowerButton } from "./power_button.ts";

/** Sent by Linux 6.12 when QEMU's power button was pressed. */
const PRESSED =
  "0101000030000100627574746f6e2f706f77657200000000000000004c4e58505752424e3a303000000000008000000001000000";

Deno.test("isPowerButton() knows the power button from the lid, and an event that is cut off", () => {
  const bytes = Uint8Array.fromHex(PRESSED);
  const view = new DataView(bytes.buffer);
  strictEqual(isPowerButton(view, 0, bytes.length), true);
  throws(() => isPowerButton(view, 0, bytes.length - 1), RangeError);
  bytes.set(new TextEncoder().encode("button/lid\0\0"), 8);
  strictEqual(isPowerButton(view, 0, bytes.length), false);
});

Deno.test("genlFamily() finds the family of families with its group, and no other of that name", () => {
  const control = genlFamily("nlctrl");
  strictEqual(control?.id, 16);
  deepStrictEqual([...control.groups.keys()], ["notify"]);
  ok((control.groups.get("notify") ?? 0) > 0);
  strictEqual(genlFamily("no-such-family"), undefined);
});
