import { strictEqual } from "node:assert/strict";
import { streamWriter } from "./system_context.ts";

Deno.test("streamWriter() goes on after a write that took a part", () => {
  let written = "";
  const writer = streamWriter({
    writeSync(bytes) {
      written += new TextDecoder().decode(bytes.subarray(0, 3));
      return Math.min(3, bytes.length);
    },
  });
  writer.write("hello world");
  writer.write(new Uint8Array());
  strictEqual(written, "hello world");
});
