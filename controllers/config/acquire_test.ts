import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { MemoryState, Runtime, watchFor } from "../../mod/cosi/mod.ts";
import {
  ACTIVE_MACHINE_CONFIG_ID,
  type MachineConfig,
  MachineConfigs,
  PERSISTENT_MACHINE_CONFIG_ID,
} from "../../resources/config/machine_config.ts";
import { acquireController, type ConfigSource } from "./acquire.ts";
import { ConfigInbox } from "./config_inbox.ts";

/** A small config that a machine can work by. */
function configOf(hostname: string): string {
  return "version: v1alpha1\nmachine:\n  type: worker\n  token: abc.def\n  ca: {crt: Y2VydA==}\n" +
    "cluster:\n  controlPlane: {endpoint: https://10.0.0.1:6443}\n" +
    `---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: ${hostname}\n`;
}

/** What lasts, in memory; `isFull` refuses writes. */
class Store {
  readonly name = "the store";
  readonly writes: string[] = [];
  isFull = false;
  constructor(public text: string | undefined) {}
  read(): Promise<string | undefined> {
    return Promise.resolve(this.text);
  }
  write(text: string): Promise<void> {
    if (this.isFull) return Promise.reject(new Error("ENOSPC"));
    this.text = text;
    this.writes.push(text);
    return Promise.resolve();
  }
}

const source = (name: string, text?: string): ConfigSource => ({ name, read: () => Promise.resolve(text) });

/** A running controller. */
class Acquiring implements AsyncDisposable {
  readonly state = new MemoryState();
  readonly inbox = new ConfigInbox();
  readonly errors: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  constructor(readonly store: Store, sources: readonly ConfigSource[]) {
    const runtime = new Runtime(this.state);
    const { inbox, errors } = this;
    const onLoadError = (name: string) => void errors.push(name);
    runtime.register(acquireController({ store, sources, inbox, mode: "container", onLoadError }));
    this.#running = runtime.run(this.#stop.signal);
  }

  text(id: string): string | undefined {
    const { namespace, type } = MachineConfigs;
    return (this.state.findNow(namespace, type, id)?.spec as MachineConfig | undefined)?.yaml;
  }

  async until(id: string, text: string): Promise<void> {
    const { namespace, type } = MachineConfigs;
    const condition = ({ spec }: { spec: unknown }) => (spec as MachineConfig).yaml === text;
    await watchFor(this.state, { namespace, type, id }, { types: ["created", "updated"], condition });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

Deno.test("config.AcquireController takes the first usable source, stores it, and tells of the others", async () => {
  const store = new Store(undefined);
  const sources = [source("empty"), source("broken", "machinne: {}\n"), source("good", configOf("a")), source("late")];
  await using acquiring = new Acquiring(store, sources);
  await acquiring.until(ACTIVE_MACHINE_CONFIG_ID, configOf("a"));
  deepStrictEqual(store.writes, [configOf("a")]);
  deepStrictEqual(acquiring.errors, ["broken"]);
  strictEqual(acquiring.text(PERSISTENT_MACHINE_CONFIG_ID), configOf("a"));
});

Deno.test("config.AcquireController prefers what it has stored, and does not store it again", async () => {
  const store = new Store(configOf("kept"));
  await using acquiring = new Acquiring(store, [source("image", configOf("image"))]);
  await acquiring.until(ACTIVE_MACHINE_CONFIG_ID, configOf("kept"));
  deepStrictEqual(store.writes, []);
});

Deno.test("config.AcquireController: a machine has a config though the store is full, or the one in it has a fault", async () => {
  const full = new Store(undefined);
  full.isFull = true;
  await using acquiring = new Acquiring(full, [source("image", configOf("image"))]);
  await acquiring.until(ACTIVE_MACHINE_CONFIG_ID, configOf("image"));
  const faulty = configOf("kept").replace("type: worker", "type: worker\n  certSANs: [ü]");
  await using kept = new Acquiring(new Store(faulty), [source("image", configOf("image"))]);
  await kept.until(ACTIVE_MACHINE_CONFIG_ID, faulty);
  strictEqual(acquiring.text(PERSISTENT_MACHINE_CONFIG_ID), undefined);
});

Deno.test("config.AcquireController: what cannot be stored is refused, and nothing has changed", async () => {
  const store = new Store(configOf("old"));
  await using acquiring = new Acquiring(store, []);
  await acquiring.until(ACTIVE_MACHINE_CONFIG_ID, configOf("old"));
  store.isFull = true;
  await rejects(acquiring.inbox.submit({ text: configOf("new"), mode: "now", tryTimeoutMs: 0 }), /ENOSPC/);
  strictEqual(acquiring.text(ACTIVE_MACHINE_CONFIG_ID), configOf("old"));
  strictEqual(acquiring.text(PERSISTENT_MACHINE_CONFIG_ID), configOf("old"));
  store.isFull = false;
  await acquiring.inbox.submit({ text: configOf("new"), mode: "now", tryTimeoutMs: 0 });
  strictEqual(acquiring.text(ACTIVE_MACHINE_CONFIG_ID), configOf("new"));
});

Deno.test("config.AcquireController: staged changes what is stored, a trial what is active, for its time", async () => {
  const store = new Store(configOf("old"));
  await using acquiring = new Acquiring(store, []);
  await acquiring.until(ACTIVE_MACHINE_CONFIG_ID, configOf("old"));
  await acquiring.inbox.submit({ text: configOf("staged"), mode: "staged", tryTimeoutMs: 0 });
  strictEqual(acquiring.text(ACTIVE_MACHINE_CONFIG_ID), configOf("old"));
  strictEqual(store.text, configOf("staged"));
  await acquiring.inbox.submit({ text: configOf("tried"), mode: "try", tryTimeoutMs: 30 });
  strictEqual(acquiring.text(ACTIVE_MACHINE_CONFIG_ID), configOf("tried"));
  strictEqual(store.text, configOf("staged"));
  await acquiring.inbox.submit({ text: configOf("again"), mode: "try", tryTimeoutMs: 30 });
  await acquiring.until(ACTIVE_MACHINE_CONFIG_ID, configOf("old"));
  strictEqual(acquiring.text(PERSISTENT_MACHINE_CONFIG_ID), configOf("staged"));
});

Deno.test("config.AcquireController: a trial that is confirmed stays", async () => {
  await using acquiring = new Acquiring(new Store(configOf("old")), []);
  await acquiring.until(ACTIVE_MACHINE_CONFIG_ID, configOf("old"));
  await acquiring.inbox.submit({ text: configOf("tried"), mode: "try", tryTimeoutMs: 10 });
  await acquiring.inbox.submit({ text: configOf("tried"), mode: "now", tryTimeoutMs: 0 });
  await acquiring.inbox.submit({ text: configOf("other"), mode: "try", tryTimeoutMs: 20 });
  await acquiring.until(ACTIVE_MACHINE_CONFIG_ID, configOf("tried"));
  strictEqual(acquiring.text(PERSISTENT_MACHINE_CONFIG_ID), configOf("tried"));
});
