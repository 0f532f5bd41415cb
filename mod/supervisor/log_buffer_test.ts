import { strictEqual } from "node:assert/strict";
import { LogBuffer } from "./log_buffer.ts";

const encoder = new TextEncoder();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function filled(sizeBytes: number, ...lines: string[]): LogBuffer {
  const log = new LogBuffer({ sizeBytes });
  for (const line of lines) log.writeLine(line);
  return log;
}

const cases = [
  { name: "gives all of it", log: filled(100, "a", "bb", "ccc"), tail: undefined, read: "a\nbb\nccc\n" },
  { name: "gives the last lines", log: filled(100, "a", "bb", "ccc"), tail: 2, read: "bb\nccc\n" },
  { name: "gives no line", log: filled(100, "a", "bb"), tail: 0, read: "" },
  { name: "gives what there is", log: filled(100, "a"), tail: 5, read: "a\n" },
  { name: "gives nothing of nothing", log: filled(100), tail: 3, read: "" },
  { name: "drops the oldest whole lines", log: filled(8, "first", "second", "3"), tail: undefined, read: "3\n" },
  { name: "keeps the end of an endless line", log: filled(4, "abcdefgh"), tail: undefined, read: "" },
];
for (const { name, log, tail, read } of cases) {
  Deno.test(`LogBuffer.read() ${name}`, () => strictEqual(text(log.read(tail)), read));
}

Deno.test("LogBuffer.read() counts an unfinished last line", () => {
  const log = filled(100, "a", "b");
  log.write(encoder.encode("c"));
  strictEqual(text(log.read(1)), "c");
  strictEqual(text(log.read(2)), "b\nc");
});

Deno.test("LogBuffer wraps at every offset as a plain string would", () => {
  const log = new LogBuffer({ sizeBytes: 37 });
  let all = "";
  for (let i = 0; i < 200; i++) {
    const line = `${"x".repeat(i % 11)}${i}`;
    log.writeLine(line);
    all += `${line}\n`;
    const kept = all.slice(-37);
    strictEqual(text(log.read()), all.length <= 37 ? all : kept.slice(kept.indexOf("\n") + 1));
  }
});

Deno.test("LogBuffer.follow() gives the tail, then what comes, and skips to a line start when it is too slow", async () => {
  const log = filled(16, "one", "two");
  const stop = new AbortController();
  const reader = log.follow(stop.signal, 1);
  strictEqual(text((await reader.next()).value ?? new Uint8Array()), "two\n");
  const next = reader.next();
  log.writeLine("three");
  strictEqual(text((await next).value ?? new Uint8Array()), "three\n");
  for (const line of ["lost", "lost too", "kept", "last"]) log.writeLine(line);
  strictEqual(text((await reader.next()).value ?? new Uint8Array()), "kept\nlast\n");
  const end = reader.next();
  stop.abort();
  strictEqual((await end).done, true);
});

Deno.test("LogBuffer gives its sink every byte", () => {
  let sunk = "";
  const log = new LogBuffer({ sizeBytes: 4, sink: (bytes) => sunk += text(bytes) });
  log.write(encoder.encode("much too long"));
  strictEqual(sunk, "much too long");
  strictEqual(log.writtenBytes, 13);
});
