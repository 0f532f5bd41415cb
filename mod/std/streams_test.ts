import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { mergeReadableStreams, TextLineStream, toArrayBuffer, toJson, toText } from "@std/streams";

const lines = (chunks: string[], allowCR = false) =>
  Array.fromAsync(ReadableStream.from(chunks).pipeThrough(new TextLineStream({ allowCR })));

Deno.test("TextLineStream cuts at line breaks, wherever the chunks end", async () => {
  deepStrictEqual(await lines(["a\nb", "c\r", "\n\nd"]), ["a", "bc", "", "d"]);
  deepStrictEqual(await lines(["a\rb\n"]), ["a\rb"]);
  deepStrictEqual(await lines(["a\rb\r", "\nc\r"], true), ["a", "b", "c"]);
  deepStrictEqual(await lines([]), []);
});

Deno.test("toText() joins a character split over two chunks", async () => {
  const bytes = new TextEncoder().encode("ü{}");
  strictEqual(await toText(ReadableStream.from([bytes.subarray(0, 1), bytes.subarray(1)])), "ü{}");
  deepStrictEqual(await toJson(ReadableStream.from(['{"a"', ":1}"])), { a: 1 });
  const buffer = await toArrayBuffer(ReadableStream.from([bytes.subarray(0, 1), bytes.subarray(1)]));
  deepStrictEqual(new Uint8Array(buffer), bytes);
});

Deno.test("mergeReadableStreams() ends with the last stream and fails with the first failure", async () => {
  const merged = mergeReadableStreams(ReadableStream.from([1, 2]), ReadableStream.from([3]));
  deepStrictEqual((await Array.fromAsync(merged)).sort(), [1, 2, 3]);
  const broken = new ReadableStream<number>({ start: (controller) => controller.error(new RangeError("x")) });
  await rejects(Array.fromAsync(mergeReadableStreams(ReadableStream.from([1]), broken)), RangeError);
});
