import { type Command, type CommandContext, defineCommand, defineGroup } from "./command.ts";
import { flag, UsageError } from "./flags.ts";
import { outputFlag } from "./output_flag.ts";

/** What each command does is loaded when it runs, so that the program starts at once. */
const getCommand = defineCommand({
  name: "get",
  aliases: ["g"],
  usage: "TYPE [ID]",
  summary: "show resources: what the machine is, should be and does",
  details: [
    "TYPE is a name such as links, addresses, routes or services, short or whole; `get rd` lists all of them.",
    "With -w it goes on: + was created, - was destroyed, lines without mark have changed. Ctrl-C ends it.",
    "A TEMPLATE of jsonpath is what kubectl takes, such as '{.metadata.id}: {.spec.address}'.",
  ].join("\n"),
  examples: [
    "get links",
    "get addresses -w",
    "get routes -o yaml",
    "get link eth0 -o jsonpath='{.spec.hardwareAddr}'",
    "get hostnamespec --namespace network-config",
    "get rd",
  ],
  flags: {
    output: outputFlag,
    watch: flag.boolean({ short: "w", help: "show changes as they happen" }),
    namespace: flag.text({ placeholder: "NAME", help: "namespace to look in, instead of the type's own" }),
  },
  async run(context, { positional: [type = "", id], flags: { output, watch, namespace } }) {
    const { runGet } = await import("./get.ts");
    return await runGet(context, { type, id, namespace, output, watch });
  },
});

const explainCommand = defineCommand({
  name: "explain",
  usage: "TYPE ID",
  summary: "show why a resource is as it is: who wrote it, and what led to that",
  details: "Of a merged setting of the network, it also shows which layer and source each field has come from.",
  examples: ["explain addressspecs eth0/10.5.0.2/24", "explain hostnamespec hostname"],
  flags: { namespace: flag.text({ placeholder: "NAME", help: "namespace to look in, instead of the type's own" }) },
  async run(context, { positional: [type = "", id = ""], flags: { namespace } }) {
    const { runExplain } = await import("./explain.ts");
    return await runExplain(context, { type, id, namespace });
  },
});

const inspectCommand = defineGroup({
  name: "inspect",
  summary: "look inside the program that runs on the nodes",
  commands: [defineCommand({
    name: "dependencies",
    summary: "show which controllers work on whose output",
    details: "The text is for Graphviz (dot -Tsvg), or for a Markdown viewer with -o mermaid.",
    examples: ["inspect dependencies --with-resources | dot -Tsvg > graph.svg"],
    flags: {
      output: flag.oneOf({ short: "o", help: "language of the graph" }, ["dot", "mermaid"], "dot"),
      "with-resources": flag.boolean({ help: "show the resources that are there, each with its type" }),
    },
    async run(context, { flags }) {
      const { showDependencies } = await import("./show_dependencies.ts");
      return await showDependencies(context, { language: flags.output, withResources: flags["with-resources"] });
    },
  })],
});

const versionCommand = defineCommand({
  name: "version",
  summary: "show the versions of this program and of the nodes",
  examples: ["version --client", "version --short"],
  flags: {
    client: flag.boolean({ help: "only of this program; calls no node" }),
    short: flag.boolean({ help: "one line each" }),
  },
  async run(context, { flags: { client, short } }) {
    await showClientVersion(context, short);
    if (client) return 0;
    const { showNodeVersions } = await import("./show_version.ts");
    return await showNodeVersions(context, { short });
  },
});

const ARCHITECTURES = { x86_64: "amd64", aarch64: "arm64" } as const;

async function showClientVersion({ stdout }: CommandContext, short: boolean): Promise<void> {
  const [{ NAME, VERSION }, { versionText }] = await Promise.all([
    import("../version/mod.ts"),
    import("./version_text.ts"),
  ]);
  if (short) return stdout.write(`Client: ${NAME} ${VERSION}\n`);
  const { os, arch } = Deno.build;
  stdout.write(versionText("Client", [
    ["Name", NAME],
    ["Tag", VERSION],
    ["Runtime", `deno ${Deno.version.deno}`],
    ["OS/Arch", `${os}/${ARCHITECTURES[arch]}`],
  ]));
}

const SERVICE_ACTIONS = ["start", "stop", "restart"] as const;

const servicesCommand = defineCommand({
  name: "services",
  aliases: ["service"],
  usage: "[ID] [ACTION]",
  summary: "list the services of the nodes, show one, or start, stop or restart it",
  details: "ACTION is start, stop or restart. Without it, the history of the service is shown.",
  examples: ["services", "service etcd", "service kubelet restart"],
  async run(context, { positional: [id, word] }) {
    const { runServiceAction, showServices } = await import("./services.ts");
    if (id === undefined || word === undefined || word === "status") return await showServices(context, id);
    const action = SERVICE_ACTIONS.find((name) => name === word);
    if (action !== undefined) return await runServiceAction(context, id, action);
    throw new UsageError(`Cannot ${word} a service: it can only start, stop and restart`, {
      name: word,
      candidates: SERVICE_ACTIONS,
    });
  },
});

const logsCommand = defineCommand({
  name: "logs",
  aliases: ["log"],
  usage: "ID",
  summary: "show the log of a service",
  examples: ["logs etcd", "logs containerd -f --tail 20"],
  flags: {
    follow: flag.boolean({ short: "f", help: "go on with new lines, until Ctrl-C" }),
    tail: flag.integer({ help: "only so many of the last lines; -1 for all" }, -1),
  },
  async run(context, { positional: [id = ""], flags }) {
    const { runLogs } = await import("./logs.ts");
    return await runLogs(context, { id, ...flags });
  },
});

const eventsCommand = defineCommand({
  name: "events",
  aliases: ["event"],
  summary: "follow what happens on the nodes",
  details: "Goes on until Ctrl-C. At most one of --tail, --since and --duration says which past events come first.",
  examples: ["events", "events --tail -1", "events --duration 10m"],
  flags: {
    tail: flag.integer({ help: "so many past events first; -1 for all that are kept" }, 0),
    since: flag.text({ placeholder: "ID", help: "the past events after the one with this id first" }),
    duration: flag.durationMs({ help: "the past events of that time first" }, ""),
    "actor-id": flag.text({ placeholder: "ID", help: "only events that this call or sequence caused" }),
  },
  async run(context, { flags: { tail, since, duration, "actor-id": actorId } }) {
    const { runEvents } = await import("./events.ts");
    return await runEvents(context, { tail, since, durationMs: duration, actorId });
  },
});

/** Commands that show what is on nodes. */
export const nodeCommands: readonly Command[] = [
  getCommand,
  explainCommand,
  servicesCommand,
  logsCommand,
  eventsCommand,
  versionCommand,
  inspectCommand,
];
