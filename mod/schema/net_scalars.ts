import { WireType } from "@bufbuild/protobuf/wire";
import { formatAddress, formatMac, parseAddress, parseMac, parsePrefix } from "../netip/mod.ts";
import { define, readMembers, textual } from "./scalar.ts";
import type { Scalar } from "./shape.ts";

const { Varint, LengthDelimited } = WireType;
const NO_BYTES = new Uint8Array(0);

export const IP: Scalar<string> = define<string>({
  message: true,
  ...textual("an IP address such as 10.0.0.5", (text) => formatAddress(parseAddress(text))),
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write(w, v) {
    w.fork();
    if (v !== "") w.tag(1, LengthDelimited).bytes(parseAddress(v));
    w.join();
  },
  read(r, length) {
    let text = "";
    readMembers(r, length, (number) => {
      if (number !== 1) return false;
      text = addressText(r.bytes());
      return true;
    });
    return text;
  },
});

export const PREFIX: Scalar<string> = define<string>({
  message: true,
  ...textual("a CIDR prefix such as 10.0.0.5/24", (text) => {
    const { address, bits } = parsePrefix(text);
    return `${address}/${bits}`;
  }),
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write(w, v) {
    w.fork();
    if (v !== "") {
      const slash = v.lastIndexOf("/");
      const address = parseAddress(v.slice(0, slash)), bits = Number(v.slice(slash + 1));
      if (!(slash > 0 && bits >= 0 && bits <= address.length * 8)) {
        throw new SyntaxError(`expected a prefix, found "${v}"`);
      }
      w.tag(1, LengthDelimited).bytes(address);
      if (bits !== 0) w.tag(2, Varint).int32(bits);
    }
    w.join();
  },
  read(r, length) {
    let address = "", bits = 0;
    readMembers(r, length, (number) => {
      if (number === 1) address = addressText(r.bytes());
      else if (number === 2) bits = r.int32();
      else return false;
      return true;
    });
    return address === "" ? "" : `${address}/${bits}`;
  },
});

function addressText(bytes: Uint8Array): string {
  return bytes.length === 0 ? "" : formatAddress(bytes);
}

export const MAC: Scalar<string> = define<string>({
  ...textual("a hardware address such as 02:00:00:00:00:01", (text) => formatMac(parseMac(text))),
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write: (w, v) => void w.bytes(v === "" ? NO_BYTES : parseMac(v)),
  read(r) {
    const bytes = r.bytes();
    return bytes.length === 0 ? "" : formatMac(bytes);
  },
});

export const URL_TEXT: Scalar<string> = define<string>({
  message: true,
  ...textual("a URL such as https://10.0.0.1:6443", (text) => text === "" ? "" : (new URL(text), text)),
  json: { type: "string" },
  wireType: LengthDelimited,
  zero: "",
  write(w, v) {
    w.fork();
    if (v !== "") w.tag(1, LengthDelimited).string(v);
    w.join();
  },
  read(r, length) {
    let text = "";
    readMembers(r, length, (number) => {
      if (number !== 1) return false;
      text = r.string();
      return true;
    });
    return text;
  },
});
