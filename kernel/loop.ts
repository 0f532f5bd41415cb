import { Fd, O_RDONLY, O_RDWR, openFd } from "./fd.ts";
import { EBUSY } from "./errno.ts";
import { check, SyscallError } from "./ffi.ts";
import { libc } from "./libc.ts";
import { struct } from "./struct.ts";

const LOOP_CTL_GET_FREE = 0x4c82n;
const LOOP_CONFIGURE = 0x4c0an;
const LO_FLAGS_READ_ONLY = 1;
const LO_FLAGS_AUTOCLEAR = 4;

/** `struct loop_config` with the `struct loop_info64` inside it, include/uapi/linux/loop.h. */
const loopConfig = struct(304, { fd: [0, "u32"], block_size: [4, "u32"], lo_flags: [60, "u32"] });

/**
 * Makes a file a read-only block device, which goes by itself once it is no longer mounted or open.
 *
 * @returns its path, and the descriptor that keeps it until it is mounted
 * @throws {SyscallError} ENOENT without the loop driver
 */
export function attachLoop(file: string): { path: string; device: Fd } {
  using control = openFd("/dev/loop-control", O_RDWR);
  using backing = openFd(file, O_RDONLY);
  const flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR;
  const config = loopConfig.encode({ fd: backing.number, block_size: 512, lo_flags: flags });
  for (;;) {
    const path = `/dev/loop${check(libc().ioctl(control.number, LOOP_CTL_GET_FREE, 0), "ioctl", "LOOP_CTL_GET_FREE")}`;
    using undo = new DisposableStack();
    const device = undo.use(openFd(path, O_RDONLY));
    try {
      check(libc().ioctl_buffer(device.number, LOOP_CONFIGURE, config), "ioctl", `LOOP_CONFIGURE of ${path}`);
    } catch (error) {
      if (error instanceof SyscallError && error.errno === EBUSY) continue; // somebody else was faster
      throw error;
    }
    undo.move();
    return { path, device };
  }
}
