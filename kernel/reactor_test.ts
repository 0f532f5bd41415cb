import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { O_NONBLOCK, pipe, readFd, writeFd } from "./fd.ts";
import { EPOLLHUP, EPOLLIN, Reactor } from "./reactor.ts";

Deno.test("Reactor calls back for each readable descriptor and goes on after an error", async () => {
  const errors: unknown[] = [];
  await using reactor = new Reactor((error) => errors.push(error));
  const [first, second] = [pipe(O_NONBLOCK), pipe(O_NONBLOCK)];
  using undo = new DisposableStack();
  for (const { reader, writer } of [first, second]) undo.use(reader), undo.use(writer);

  const failure = new Error("callback");
  undo.use(reactor.add(first.reader.number, EPOLLIN, () => {
    readFd(first.reader.number, new Uint8Array(8));
    writeFd(second.writer.number, Uint8Array.of(7));
    throw failure;
  }));
  const seen = Promise.withResolvers<number>();
  undo.use(reactor.add(second.reader.number, EPOLLIN, () => {
    const into = new Uint8Array(8);
    readFd(second.reader.number, into);
    strictEqual(readFd(second.reader.number, into.subarray(1)), undefined);
    seen.resolve(into[0] ?? 0);
  }));
  writeFd(first.writer.number, Uint8Array.of(1));
  strictEqual(await seen.promise, 7);
  deepStrictEqual(errors, [failure]);
});

Deno.test("Reactor.add() is undone by dispose, twice without harm", async () => {
  await using reactor = new Reactor((error) => {
    throw error;
  });
  const { reader, writer } = pipe(O_NONBLOCK);
  using _reader = reader;
  const seen = Promise.withResolvers<number>();
  const first = reactor.add(reader.number, EPOLLIN, () => seen.reject(new Error("still watched")));
  throws(() => reactor.add(reader.number, EPOLLIN, () => {}), { code: "EEXIST" });
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  using _second = reactor.add(reader.number, EPOLLIN, (events) => {
    seen.resolve(events);
    _second[Symbol.dispose]();
  });
  writer[Symbol.dispose]();
  strictEqual((await seen.promise) & EPOLLHUP, EPOLLHUP);
});
