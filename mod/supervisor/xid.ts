const DIGITS = "0123456789abcdefghijklmnopqrstuv";
const PROCESS = crypto.getRandomValues(new Uint8Array(5));

let lastSecond = 0;
let counter = 0;

/**
 * A new id whose text sorts by the time it was made: 20 characters of base32hex over 4 bytes of seconds, 5 random
 * bytes of this run and a 3-byte counter, as the `xid` format lays them out. Ids of one run sort in the order they
 * were made even when the clock is set back.
 */
export function newXid(nowMs = Date.now()): string {
  const second = Math.floor(nowMs / 1000);
  if (second > lastSecond) {
    lastSecond = second;
    counter = 0;
  } else if (++counter > 0xffffff) {
    lastSecond++; // 16 million ids within a second: borrow from the next
    counter = 0;
  }
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, lastSecond);
  bytes.set(PROCESS, 4);
  view.setUint8(9, counter >>> 16);
  view.setUint16(10, counter & 0xffff);
  return base32hex(bytes);
}

function base32hex(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += DIGITS.charAt((value >>> bits) & 31);
    }
    value &= (1 << bits) - 1;
  }
  return text + DIGITS.charAt((value << (5 - bits)) & 31);
}
