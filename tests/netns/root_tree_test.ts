import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dist } from "../../image/paths.ts";
import { LIBRARIES, LIBRARY_FOLDER, PROGRAMS } from "../../image/root_definition.ts";
import { listFiles } from "../../image/stamp.ts";
import { commandOutput } from "../../image/task.ts";
import { buildRoot } from "../../image/tasks/root.ts";

Deno.test("the root tree holds no other program than it should: no shell, no package manager, no init system", async () => {
  await buildRoot();
  const isProgram = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o111;
  const programs: string[] = [];
  for (const path of await listFiles(dist("root"), (path) => !path.includes(`/${LIBRARY_FOLDER}/`))) {
    if (await isProgram(path)) programs.push(path.slice(dist("root/").length));
  }
  deepStrictEqual(programs.sort(), [...PROGRAMS, "usr/bin/monos"].sort());
});

Deno.test("every program and library of the root tree finds what it needs inside the tree", async () => {
  await buildRoot();
  const loader = `/${LIBRARY_FOLDER}/ld-linux-x86-64.so.2`;
  for (const path of [...PROGRAMS, ...LIBRARIES.map((name) => `${LIBRARY_FOLDER}/${name}`)]) {
    if (path.endsWith("ld-linux-x86-64.so.2")) continue;
    const listed = await commandOutput(["chroot", dist("root"), loader, "--list", `/${path}`]);
    ok(!new TextDecoder().decode(listed).includes("not found"), path);
  }
});

Deno.test("the root tree trusts the usual authorities and names itself", async () => {
  await buildRoot();
  const bundle = await Deno.readTextFile(dist("root/etc/ssl/certs/ca-certificates.crt"));
  ok(bundle.split("-----BEGIN CERTIFICATE-----").length > 100);
  strictEqual(await Deno.readLink(dist("root/usr/sbin/init")), "../bin/monos");
});
