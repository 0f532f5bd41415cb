import { rejects, strictEqual } from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { fileHandlers } from "./file_service.ts";
import { ReadRequestSchema } from "./gen/machine/file_pb.ts";
import { FILE_METHODS } from "./machine_methods.ts";
import { Testbed } from "./testbed.ts";

async function read(bed: Testbed, path: string, roles: readonly string[] = ["os:admin"]): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const { bytes } of bed.client(roles).stream(FILE_METHODS.read, create(ReadRequestSchema, { path }))) {
    chunks.push(new Uint8Array(bytes));
  }
  return await new Blob(chunks).text();
}

Deno.test("Read sends a whole file, also one that the kernel makes up", async () => {
  await using bed = await Testbed.start(fileHandlers());
  const path = await Deno.makeTempFile();
  const text = "0123456789".repeat(20_000);
  await Deno.writeTextFile(path, text);
  strictEqual(await read(bed, path), text);
  await Deno.remove(path);
  const bootId = "/proc/sys/kernel/random/boot_id";
  strictEqual(await read(bed, bootId), Deno.readTextFileSync(bootId));
});

for (
  const [path, code, message] of [
    ["etc/hostname", "INVALID_ARGUMENT", /no absolute path/],
    ["/dev/zero", "INVALID_ARGUMENT", /no regular file/],
    ["/etc", "INVALID_ARGUMENT", /no regular file/],
    ["/no/such/file", "NOT_FOUND", /Cannot read "\/no\/such\/file"/],
  ] as const
) {
  Deno.test(`Read refuses ${path}`, async () => {
    await using bed = await Testbed.start(fileHandlers());
    await rejects(read(bed, path), { code, message });
  });
}

Deno.test("Read is for administrators", async () => {
  await using bed = await Testbed.start(fileHandlers());
  await rejects(read(bed, "/etc/hostname", ["os:operator"]), { code: "PERMISSION_DENIED" });
});
