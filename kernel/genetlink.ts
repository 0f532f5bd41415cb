import { ENOENT } from "./errno.ts";
import { NetlinkError, NetlinkSocket } from "./netlink.ts";
import { PayloadWriter, readText, visitAttributes } from "./netlink_message.ts";
import { struct } from "./struct.ts";

/** The bus of families that get their number at run time, include/uapi/linux/netlink.h. */
export const NETLINK_GENERIC = 16;

/** `struct genlmsghdr`, include/uapi/linux/genetlink.h. */
export const genlmsghdr = struct(4, { cmd: [0, "u8"], version: [1, "u8"] });

const GENL_ID_CTRL = 0x10;
const CTRL_CMD_GETFAMILY = 3;
const CTRL_ATTR_FAMILY_ID = 1;
const CTRL_ATTR_FAMILY_NAME = 2;
const CTRL_ATTR_MCAST_GROUPS = 7;
const CTRL_ATTR_MCAST_GRP_NAME = 1;
const CTRL_ATTR_MCAST_GRP_ID = 2;

/** A family as the running kernel knows it. */
export interface GenlFamily {
  /** Type of its messages. */
  readonly id: number;
  /** Numbers of its multicast groups, by name. */
  readonly groups: ReadonlyMap<string, number>;
}

/** Undefined if this kernel has no such family. @throws {NetlinkError} */
export function genlFamily(name: string): GenlFamily | undefined {
  const writer = new PayloadWriter();
  writer.header(genlmsghdr, { cmd: CTRL_CMD_GETFAMILY, version: 1 });
  writer.text(CTRL_ATTR_FAMILY_NAME, name);
  const request = { type: GENL_ID_CTRL, flags: 0, payload: writer.finish(), verb: "find family", thing: `"${name}"` };
  using socket = new NetlinkSocket(NETLINK_GENERIC);
  try {
    return socket.request(request, (_type, view, start, end) => readFamily(view, start + genlmsghdr.size, end))[0];
  } catch (error) {
    if (error instanceof NetlinkError && error.errno === ENOENT) return undefined;
    throw error;
  }
}

function readFamily(view: DataView, start: number, end: number): GenlFamily {
  let id = 0;
  const groups = new Map<string, number>();
  visitAttributes(view, start, end, (type, at, length) => {
    if (type === CTRL_ATTR_FAMILY_ID && length === 2) id = view.getUint16(at, true);
    if (type !== CTRL_ATTR_MCAST_GROUPS) return;
    visitAttributes(view, at, at + length, (_index, first, size) => {
      let name = "";
      let number = 0;
      visitAttributes(view, first, first + size, (field, from, bytes) => {
        if (field === CTRL_ATTR_MCAST_GRP_NAME) name = readText(view, from, bytes);
        if (field === CTRL_ATTR_MCAST_GRP_ID && bytes === 4) number = view.getUint32(from, true);
      });
      groups.set(name, number);
    });
  });
  return { id, groups };
}
