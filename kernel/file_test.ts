import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { SyscallError } from "./ffi.ts";
import { replaceFile, writeFileAtomic } from "./file.ts";

for (const write of [writeFileAtomic, replaceFile]) {
  Deno.test(`${write.name}() replaces content and mode and leaves nothing else behind`, () => {
    const folder = Deno.makeTempDirSync();
    try {
      const path = `${folder}/config.yaml`;
      write(path, Uint8Array.of(1, 2, 3), 0o644);
      write(path, Uint8Array.of(4), 0o600);
      deepStrictEqual(Deno.readFileSync(path), Uint8Array.of(4));
      strictEqual((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
      Deno.mkdirSync(`${folder}/taken`);
      throws(() => write(`${folder}/taken`, Uint8Array.of(1), 0o600), SyscallError);
      deepStrictEqual(Array.from(Deno.readDirSync(folder), (entry) => entry.name).sort(), ["config.yaml", "taken"]);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });

  Deno.test(`${write.name}() names call and code of a failure`, () => {
    throws(() => write("/nowhere/x", new Uint8Array(), 0o600), {
      name: "SyscallError",
      code: "ENOENT",
      errno: 2,
    });
  });
}
