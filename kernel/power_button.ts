import { fromCstring } from "./ffi.ts";
import { genlFamily, genlmsghdr, NETLINK_GENERIC } from "./genetlink.ts";
import { visitAttributes } from "./netlink_message.ts";
import { NetlinkSubscription } from "./netlink_subscription.ts";
import { EPOLLIN, type Reactor } from "./reactor.ts";
import { struct } from "./struct.ts";

const RECEIVE_BYTES = 64 << 10;
const ACPI_GENL_ATTR_EVENT = 1;
/** `struct acpi_genl_event`, drivers/acpi/event.c: names of the device's class and of itself, then two numbers. */
const acpiGenlEvent = struct(44, { deviceClass: [0, 20], busId: [20, 15], type: [36, "u32"], data: [40, "u32"] });

/**
 * Calls back when the machine's power button is pressed, as a host does that wants its virtual machine to shut down.
 * The kernel tells of it once the module `button` is loaded.
 *
 * @returns undefined where there is no ACPI
 * @throws {SyscallError}
 */
export function onPowerButton(reactor: Reactor, onPress: () => void): Disposable | undefined {
  const group = genlFamily("acpi_event")?.groups.get("acpi_mc_group");
  if (group === undefined) return undefined;
  using undo = new DisposableStack();
  const subscription = undo.use(new NetlinkSubscription(NETLINK_GENERIC, [group], RECEIVE_BYTES));
  undo.use(reactor.add(subscription.fd, EPOLLIN, () => {
    let isPressed = false;
    subscription.receive((_type, _flags, view, start, end) => isPressed ||= isPowerButton(view, start, end));
    if (isPressed) onPress();
  }));
  return undo.move();
}

/** Pure: whether an event of ACPI, from its generic header on, is a press of the power button. @throws {RangeError} */
export function isPowerButton(view: DataView, start: number, end: number): boolean {
  let isIt = false;
  visitAttributes(view, start + genlmsghdr.size, end, (type, at, length) => {
    if (type !== ACPI_GENL_ATTR_EVENT) return;
    const { deviceClass } = acpiGenlEvent.decode(new Uint8Array(view.buffer, view.byteOffset + at, length));
    isIt = fromCstring(deviceClass) === "button/power";
  });
  return isIt;
}
