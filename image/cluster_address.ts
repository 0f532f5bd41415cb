import { formatAddress, maskPrefix, parseAddress, parsePrefix } from "../mod/netip/mod.ts";
import { TaskError } from "./task.ts";

/** An IPv4 network whose addresses are counted from its start. */
export interface CountedNetwork {
  readonly bits: number;
  at(index: number): string;
}

/** @param cidr e.g. `10.5.0.0/24` @throws {TaskError} when it is none */
export function countedNetwork(cidr: string): CountedNetwork {
  try {
    const { address, bits } = parsePrefix(maskPrefix(cidr));
    const bytes = parseAddress(address);
    if (bytes.length !== 4) throw new SyntaxError("not IPv4");
    const start = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    return {
      bits,
      at(index) {
        const out = new Uint8Array(4);
        new DataView(out.buffer).setUint32(0, start + index);
        return formatAddress(out);
      },
    };
  } catch (cause) {
    throw new TaskError(`Cannot use "${cidr}" as the nodes' network: give one such as 10.5.0.0/24`, undefined, {
      cause,
    });
  }
}
