import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type Fd, pipe, readFd, setNonblocking } from "../../kernel/fd.ts";
import { Reactor } from "../../kernel/reactor.ts";
import { LogBuffer } from "../supervisor/mod.ts";
import { Console } from "./console.ts";

/** Everything that is in the pipe now. */
function drain(reader: Fd): string {
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(64 << 10);
  let text = "";
  for (let count = readFd(reader.number, chunk); count; count = readFd(reader.number, chunk)) {
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
  }
  return text;
}

const words = (text: string) => text.trimEnd().split("\n").map((line) => line.slice(line.indexOf(" ") + 1));

Deno.test("Console keeps nobody waiting for a console that takes nothing, and tells what it left out", async () => {
  await using reactor = new Reactor((error) => {
    throw error;
  });
  const { reader, writer } = pipe();
  using _ends = new DisposableStack();
  _ends.use(reader);
  _ends.use(writer);
  setNonblocking(reader.number);
  const log = new LogBuffer();
  using console = new Console(log, writer.number);
  console.neverWait(reactor);
  const lines = Array.from({ length: 4000 }, (_, number) => `line ${number} ${"-".repeat(40)}`);
  for (const line of lines) console.log(line); // more than twice what the pipe and the backlog hold
  strictEqual(words(new TextDecoder().decode(log.read())).length, 4000);
  let shown = "";
  while (!shown.endsWith("not shown here\n")) {
    shown += drain(reader);
    await new Promise((resolve) => setTimeout(resolve)); // a turn of the event loop, for the reactor
  }
  const all = words(shown);
  const note = all.pop() ?? "";
  ok(all.length > 1000 && all.length < 4000, String(all.length));
  deepStrictEqual(all, lines.slice(0, all.length));
  strictEqual(note, `${4000 - all.length} lines are not shown here`);
  console.log("after");
  match(drain(reader), / after\n$/);
});
