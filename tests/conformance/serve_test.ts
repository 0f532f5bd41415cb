/** The server for outside suites, as the process that it is. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { PlainClient, RemoteState } from "../../mod/api/mod.ts";
import { OpaqueSpec } from "../../mod/cosi/mod.ts";
import { at, KIND, Reader, thing } from "./state_fixture.ts";

const SCRIPT = fileURLToPath(new URL("serve.ts", import.meta.url));

/** A running server; `stop` ends it as a service manager would. */
class Serving {
  readonly #child: Deno.ChildProcess;
  readonly address: string;

  private constructor(child: Deno.ChildProcess, address: string) {
    this.#child = child;
    this.address = address;
  }

  static async start(...args: readonly string[]): Promise<Serving> {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", SCRIPT, ...args],
      stdout: "piped",
    }).spawn();
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes("\n")) break;
    }
    match(text, /^listening on \S+\n$/);
    return new Serving(child, text.trim().slice("listening on ".length));
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    const { code, signal } = await this.#child.status;
    deepStrictEqual({ code, signal }, { code: 0, signal: null });
  }
}

const opaque = (id: string) => ({ ...thing(id), spec: new OpaqueSpec(Uint8Array.of(0xff, 0), "a:   1 # kept\n") });

Deno.test("serve.ts on a Unix socket ends cleanly while watches are open", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const serving = await Serving.start("--listen", `unix:${folder}/state.sock`);
    using client = new PlainClient(serving.address);
    const remote = new RemoteState(client, { retry: false });
    using reader = new Reader(await remote.watchKind(KIND, { bootstrapContents: true }));
    await reader.expect("bootstrapped @undefined");
    await remote.create(opaque("a"));
    await reader.expect("created a@1");
    await serving.stop();
    strictEqual((await reader.next()).type, "errored");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("serve.ts with a store serves the same data again and takes old bookmarks (10.41)", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const first = await Serving.start("--listen", "127.0.0.1:0", "--store", folder);
    using client = new PlainClient(first.address);
    const remote = new RemoteState(client, { retry: { firstMs: 10, maxMs: 100 } });
    using reader = new Reader(await remote.watchKind(KIND, { bootstrapContents: true }));
    await reader.expect("bootstrapped @undefined");
    await remote.create(opaque("a"));
    await reader.expect("created a@1");
    await first.stop();
    const second = await Serving.start("--listen", first.address, "--store", folder);
    deepStrictEqual((await remote.get(at("a"))).spec, opaque("a").spec);
    await remote.update(await remote.get(at("a")));
    await reader.expect("updated a@2 was @1");
    await second.stop();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
