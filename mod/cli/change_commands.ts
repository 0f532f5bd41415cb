import { type Command, defineCommand } from "./command.ts";
import { flag, UsageError } from "./flags.ts";

const applyConfigCommand = defineCommand({
  name: "apply-config",
  aliases: ["apply"],
  summary: "give the nodes a new machine config",
  details: [
    "The node checks the whole config first; when anything is wrong it says where, and nothing is changed.",
    "Modes: auto and no-reboot apply it at once, and refuse what needs a reboot; staged takes effect at the next boot;",
    "try goes back after --timeout unless a config is applied again.",
  ].join("\n"),
  examples: [
    "apply-config -f controlplane.yaml --dry-run",
    "apply-config -f controlplane.yaml",
    "apply-config -f controlplane.yaml -p @worker-patch.yaml",
    "apply-config -f - --mode try --timeout 2m",
  ],
  flags: {
    file: flag.text({ short: "f", placeholder: "FILE", help: "the config; - for standard input" }),
    "config-patch": flag.texts({
      short: "p",
      placeholder: "PATCH",
      help: "change the config before it is sent: YAML, a JSON patch, or @FILE; may be given several times",
    }),
    mode: flag.oneOf({ short: "m", help: "when it takes effect" }, ["auto", "no-reboot", "staged", "try"], "auto"),
    "dry-run": flag.boolean({ help: "check it and show what would change; change nothing" }),
    timeout: flag.durationMs({ help: "with mode try: how long the config stays" }, "1m"),
  },
  async run(context, { flags: { file, mode, "dry-run": dryRun, timeout, "config-patch": patches } }) {
    if (file === undefined) throw new UsageError("Cannot apply a config: name its file with -f FILE");
    const { runApplyConfig } = await import("./apply_config.ts");
    return await runApplyConfig(context, { file, patches, mode, dryRun, tryTimeoutMs: timeout });
  },
});

const WAIT_FLAGS = {
  wait: flag.boolean({ help: "tell what the machine does, until it is done; --wait=false does not" }, true),
  timeout: flag.durationMs({ help: "how long to wait at most" }, "30m"),
};

const rebootCommand = defineCommand({
  name: "reboot",
  summary: "restart the machines and wait until they are back",
  details:
    "Modes: default stops all services in order; powercycle also runs the firmware anew; force kills the services.",
  examples: ["reboot", "reboot --wait=false"],
  flags: {
    mode: flag.oneOf({ short: "m", help: "how it restarts" }, ["default", "powercycle", "force"], "default"),
    ...WAIT_FLAGS,
  },
  async run(context, { flags: { mode, wait, timeout } }) {
    const { runPower } = await import("./power.ts");
    return await runPower(context, { action: "reboot", mode, wait, timeoutMs: timeout });
  },
});

const shutdownCommand = defineCommand({
  name: "shutdown",
  summary: "switch the machines off and wait until they are gone",
  examples: ["shutdown", "shutdown --force"],
  flags: {
    force: flag.boolean({ help: "do not leave the cluster in good order first" }),
    ...WAIT_FLAGS,
  },
  async run(context, { flags: { force, wait, timeout } }) {
    const { runPower } = await import("./power.ts");
    return await runPower(context, { action: "shutdown", force, wait, timeoutMs: timeout });
  },
});

/** Commands that change nodes. */
export const changeCommands: readonly Command[] = [applyConfigCommand, rebootCommand, shutdownCommand];
