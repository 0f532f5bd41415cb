import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { LogFile } from "./log_file.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("LogFile appends to what is there, and keeps one older file", () => {
  const folder = Deno.makeTempDirSync();
  const path = `${folder}/a.log`;
  const errors: string[] = [];
  {
    using first = new LogFile(path, (error) => errors.push(error.message), 10);
    first.write(bytes("12345\n"));
  }
  using log = new LogFile(path, (error) => errors.push(error.message), 10);
  log.write(bytes("abc\n"));
  strictEqual(Deno.readTextFileSync(path), "12345\nabc\n");
  log.write(bytes("next\n"));
  strictEqual(Deno.readTextFileSync(path), "next\n");
  strictEqual(Deno.readTextFileSync(`${path}.1`), "12345\nabc\n");
  deepStrictEqual(errors, []);
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("LogFile tells of a row of failures once", () => {
  const errors: string[] = [];
  using log = new LogFile("/dev/full", (error) => errors.push(error.name));
  for (let i = 0; i < 3; i++) log.write(bytes("lost\n"));
  deepStrictEqual(errors, ["SyscallError"]);
});
