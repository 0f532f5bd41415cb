import { decodeConfig, formatProblem, type MachineMode, validateConfig } from "../../mod/config/mod.ts";
import { type Access, type Controller, defineController, exclusive, type Output } from "../../mod/cosi/mod.ts";
import {
  ACTIVE_MACHINE_CONFIG_ID,
  MachineConfigs,
  PERSISTENT_MACHINE_CONFIG_ID,
} from "../../resources/config/machine_config.ts";
import type { ConfigInbox, PendingRequest } from "./config_inbox.ts";

/** A place where a config may be found at boot. */
export interface ConfigSource {
  /** For messages: `the kernel argument talos.config.inline`. */
  readonly name: string;
  /** The text, or undefined when the place is empty. */
  read(): Promise<string | undefined>;
}

/** The config that survives a reboot. */
export interface ConfigStore extends ConfigSource {
  /** Puts the text in place of the old one, whole or not at all, and answers when it is on the medium. */
  write(text: string): Promise<void>;
}

/** What the controller is given. */
export interface AcquireOptions {
  readonly store: ConfigStore;
  /** Looked at in this order, after the store; the first complete config is taken. */
  readonly sources: readonly ConfigSource[];
  readonly inbox: ConfigInbox;
  readonly mode: MachineMode;
  /** Told of each place whose config cannot be used. */
  onLoadError(source: string, cause: unknown): void;
}

type ConfigAccess = Access<readonly [], readonly [Output<typeof MachineConfigs>]>;

/** Finds the machine config at boot and takes new ones from the inbox; the only writer of `MachineConfigs`. */
export function acquireController(options: AcquireOptions): Controller {
  const { store, inbox } = options;
  let trial: Trial | undefined;
  return defineController({
    name: "config.AcquireController",
    inputs: [],
    outputs: [exclusive(MachineConfigs)],
    wakeOn: [inbox],
    async reconcile(r) {
      const requests = inbox.take();
      if (await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID) === undefined) await acquire(r, options);
      for (const request of requests) {
        try {
          const active = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
          await accept(r, store, request);
          if (request.mode === "now") trial = undefined;
          else if (request.mode === "try") {
            const before = trial === undefined ? active?.spec.yaml : trial.before; // a trial of a trial ends both
            trial = { endsAtMs: performance.now() + request.tryTimeoutMs, before };
          }
          request.done();
        } catch (cause) {
          request.failed(cause); // told to the sender; the next request is none the worse for it
        }
      }
      if (trial === undefined) return;
      const left = trial.endsAtMs - performance.now();
      if (left > 0) return r.reconcileWithin(left);
      await endTrial(r, trial);
      trial = undefined;
    },
  });
}

/** A config that is active until this time unless it is confirmed, and the one before it. */
interface Trial {
  readonly endsAtMs: number;
  readonly before: string | undefined;
}

/**
 * Takes the first usable config. One that did not come from the store is stored first; a machine whose store takes
 * nothing works by it all the same, as nobody could reach a machine without a config to mend it.
 */
async function acquire(r: ConfigAccess, options: AcquireOptions): Promise<void> {
  const { store, sources, mode, onLoadError } = options;
  for (const source of [store, ...sources]) {
    try {
      const text = await source.read();
      if (text === undefined) continue;
      const { v1alpha1, unused } = decodeConfig(text);
      if (v1alpha1 === undefined) throw new SyntaxError("it has no v1alpha1 document");
      const problems = validateConfig(decodeConfig(text), mode).errors.map(formatProblem).join("; ");
      if (problems !== "") {
        if (source !== store) throw new SyntaxError(problems);
        // when it was stored, by an older version, it had none
        r.log(`the machine config of ${store.name} has faults and is used all the same: ${problems}`);
      }
      if (source === store || await keep(r, store, text)) await publish(r, PERSISTENT_MACHINE_CONFIG_ID, text);
      await publish(r, ACTIVE_MACHINE_CONFIG_ID, text);
      const without = unused.length === 0 ? "" : `; without effect in this version: ${unused.join(", ")}`;
      return r.log(`took the machine config of ${source.name}${without}`);
    } catch (cause) {
      onLoadError(source.name, cause);
    }
  }
  r.log("there is no machine config yet; waiting for one over the API");
}

/** Whether the store took it. */
async function keep(r: ConfigAccess, store: ConfigStore, text: string): Promise<boolean> {
  try {
    await store.write(text);
    return true;
  } catch (cause) {
    r.log(`${store.name} does not take the machine config: ${cause instanceof Error ? cause.message : cause}`);
    return false;
  }
}

async function accept(r: ConfigAccess, store: ConfigStore, request: PendingRequest): Promise<void> {
  const { text, mode } = request;
  if (mode !== "try") {
    await store.write(text);
    await publish(r, PERSISTENT_MACHINE_CONFIG_ID, text);
  }
  if (mode !== "staged") await publish(r, ACTIVE_MACHINE_CONFIG_ID, text);
}

/** A trial that nobody confirmed: the machine works as before. What is on disk may be staged for the next boot. */
async function endTrial(r: ConfigAccess, { before }: Trial): Promise<void> {
  if (before === undefined) await r.destroy(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
  else await publish(r, ACTIVE_MACHINE_CONFIG_ID, before);
  r.log("the tried config was not confirmed in time; the one before it is back");
}

/** Tells Talos' own tools that the spec is one text, and not a document in place of one. */
const YAML_SPEC: ReadonlyMap<string, string> = new Map([["talos.dev/yaml-spec", "1"]]);

async function publish(r: ConfigAccess, id: string, yaml: string): Promise<void> {
  await r.modify(MachineConfigs, id, { yaml }, { annotations: YAML_SPEC });
}
