/** The one program: picks its role, builds the objects of that role, and hands them over. */
import type { System } from "./mod/boot/mod.ts";

const USAGE = `Usage: monos ROLE [ARGUMENT…]

  init    PID 1 of a machine or of a container's namespaces
  node    the same without being PID 1, for development
  ctl     the client of the machine API; also by the name monosctl
  exec    starts a node in fresh namespaces; takes a description as JSON`;

/** Other services wait so long for the API, which may never come up without a config. */
const API_FIRST_MS = 5000;
/** What they leave it for its first calls, which are the slow ones. */
const HEAD_START_MS = 100;

/** The embedded config of an image, as Talos has it. */
const EMBEDDED_CONFIG = "/usr/local/etc/talos/config.yaml";

/** What the program was started as. Read from /proc, so that no role loads what it does not need. */
function startedAs(): string {
  try {
    return Deno.readTextFileSync("/proc/self/cmdline").split("\0", 1)[0]?.split("/").at(-1) ?? "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** Roles of the names that the program goes by; under any other name the first argument says. */
const ROLES_BY_NAME: Readonly<Record<string, string>> = { init: "init", monosctl: "ctl" };

/**
 * How the kernel asks for a shutdown, e.g. when the machine is too hot. By name alone: as an argument it would end the
 * machine of whoever tries it.
 */
const POWEROFF = "poweroff";

async function main(): Promise<void> {
  const name = startedAs();
  if (name === POWEROFF) return (await import("./kernel/process.ts")).kill(1, "SIGTERM");
  const byName = ROLES_BY_NAME[name];
  const [role, args] = byName === undefined ? [Deno.args[0], Deno.args.slice(1)] : [byName, Deno.args];
  switch (role) {
    case "init":
    case "node":
      return await runNode(role, args);
    case "ctl":
      return Deno.exit(await (await import("./mod/cli/monosctl.ts")).runMonosctl(args));
    case "exec":
      return Deno.exit(await (await import("./mod/boot/mod.ts")).runExec(args[0] ?? "{}"));
    default:
      console.error(USAGE);
      Deno.exit(2);
  }
}

async function runNode(role: "init" | "node", args: readonly string[]): Promise<void> {
  const { earlyInit } = await import("./mod/boot/mod.ts");
  const system = orEnd(() => earlyInit(role === "node" ? { mode: "node" } : {}));
  try {
    await bringUp(system, args);
  } catch (error) {
    const { running } = system.sequencer;
    if (running === "shutdown" || running === "reboot") return; // on the way down before it was up
    // PID 1 stays: its console and log tell what is wrong, and its services go on
    system.console.log(`Cannot bring the node up: ${error instanceof Error ? error.stack : error}`);
  }
}

/** A machine without its file systems is of no use: it ends, and restarts by the kernel's panic= rule. */
function orEnd<T>(start: () => T): T {
  try {
    return start();
  } catch (error) {
    console.error(error);
    Deno.exit(1);
  }
}

/** Controllers, services and the API on what the early part has made; answers when the machine goes down. */
async function bringUp(system: System, args: readonly string[]): Promise<void> {
  const [boot, cosi, supervisor, node, controllers, machineView, resources] = await Promise.all([
    import("./mod/boot/mod.ts"),
    import("./mod/cosi/mod.ts"),
    import("./mod/supervisor/mod.ts"),
    import("./mod/node/mod.ts"),
    import("./controllers/all.ts"),
    import("./controllers/machine_view.ts"),
    import("./resources/all.ts"),
  ]);
  const isMachine = system.mode === "machine";
  const cmdline = isMachine ? Deno.readTextFileSync("/proc/cmdline").trim() : args.join(" ");
  const stateFolder = isMachine ? "/system/state" : "/var/lib/monos/state";
  const configMode = isMachine ? "metal" : "container";
  const state = new cosi.MemoryState();
  await cosi.registerDefinitions(state, resources.DEFINITIONS, resources.NAMESPACES);
  const view = await machineView.MachineView.open(state);
  const { controllers: all, inbox } = controllers.allControllers({
    kind: isMachine ? "machine" : "container",
    configMode,
    reactor: system.reactor,
    cmdline,
    machineId: node.machineId(system.mode, stateFolder),
    bootId: node.bootId(system.mode),
    configStore: new node.ConfigFile(stateFolder),
    configSources: [
      { name: `the file ${EMBEDDED_CONFIG}`, read: () => node.readConfigFile(EMBEDDED_CONFIG) },
      { name: "the kernel argument talos.config.inline", read: () => node.inlineConfig(cmdline) },
    ],
    etcFolder: "/etc",
    hostname: node.kernelHostname,
    services: node.serviceSource(system.supervisor),
    stages: node.stageSource(system.sequencer),
    diagnostics: Object.fromEntries(system.diagnostics.map(({ id, message }) => [id, { message, details: [] }])),
    onConfigError(source, cause) {
      const error = `Cannot use the config of ${source}: ${cause instanceof Error ? cause.message : cause}`;
      system.log(error);
      system.events.publish({ kind: "configLoadError", error });
    },
    onMachineStatus: ({ stage, status: { ready, unmetConditions } }) =>
      void system.events.publish({ kind: "machineStatus", stage, ready, unmet: unmetConditions }),
  });
  const runtime = new cosi.Runtime(state, {
    log: (name, level, message) =>
      system.log(level === "info" ? `${name}: ${message}` : `${name}: ${level}: ${message}`),
    publishStatus: true,
  });
  for (const controller of all) runtime.register(controller);
  const backend = new node.NodeBackend({
    system,
    mode: configMode,
    hostname: () => view.hostname(),
    activeConfig: () => view.activeConfig(),
    submit: (request) => inbox.submit(request),
  });
  system.supervisor.load(supervisor.containerdService(system.processes));
  system.supervisor.load(
    supervisor.etcdService(system.processes, () => ({ name: view.hostname() }), [view.controlPlaneCondition()]),
  );
  system.supervisor.load(node.apiService({
    state: new cosi.ExplainedState(state, runtime.causes),
    registry: new cosi.DefinitionRegistry(resources.DEFINITIONS),
    namespaces: new Set(resources.NAMESPACES.map(({ name }) => name).concat("meta")),
    backend,
    certificates: view.certificates,
    dependencies: () => runtime.dependencies(),
    isLocal: (name) => view.isLocal(name),
  }));
  const running = runtime.run(new AbortController().signal);
  // The API first: a person waits for it, and the others take both processors for a second.
  system.supervisor.start(node.API_SERVICE_ID);
  await system.supervisor.waitFor(() => system.supervisor.isUp(node.API_SERVICE_ID), API_FIRST_MS);
  await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS));
  await system.sequencer.run(boot.bootSequence(system.supervisor));
  await running;
}

void main(); // not awaited: the program is bundled as a script too, which knows no top-level await
