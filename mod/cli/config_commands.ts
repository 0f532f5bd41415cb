import { type Command, type CommandContext, defineCommand, defineGroup } from "./command.ts";
import { flag } from "./flags.ts";
import { relativeTime } from "./relative_time.ts";
import { formatTable } from "./table.ts";
import {
  credentialsOf,
  loadOrNewTalosconfig,
  loadTalosconfig,
  mergeTalosconfig,
  readTalosconfig,
  selectContext,
  TalosconfigError,
  type TalosconfigFile,
} from "./talosconfig.ts";
import { writeTalosconfig } from "./write_talosconfig.ts";

const contextsCommand = defineCommand({
  name: "contexts",
  aliases: ["get-contexts"],
  summary: "list the contexts",
  async run(context) {
    const { config } = await loadTalosconfig(context);
    const rows = Object.entries(config.contexts)
      .sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, { endpoints = [], nodes = [] }]) => [
        name === config.context ? "*" : "",
        name,
        endpoints.join(","),
        nodes.join(","),
      ]);
    context.stdout.write(formatTable([["CURRENT", "NAME", "ENDPOINTS", "NODES"], ...rows]));
    return 0;
  },
});

const contextCommand = defineCommand({
  name: "context",
  aliases: ["use-context"],
  usage: "NAME",
  summary: "make a context the current one",
  async run(context, { positional: [name] }) {
    const file = await loadTalosconfig(context);
    selectContext(file, name);
    await writeTalosconfig({ path: file.path, config: { ...file.config, context: name ?? "" } });
    return 0;
  },
});

const endpointCommand = defineCommand({
  name: "endpoint",
  aliases: ["endpoints"],
  usage: "[HOST…]",
  summary: "set the machines that a context connects to",
  details:
    "Replaces the endpoints of the current context, or of the one given with --context. Without any, none is left.",
  examples: ["config endpoint 10.5.0.2 10.5.0.3"],
  run: (context, { positional }) => changeContext(context, { endpoints: positional.map((host) => host.trim()) }),
});

const nodeCommand = defineCommand({
  name: "node",
  aliases: ["nodes"],
  usage: "[HOST…]",
  summary: "set the machines that the commands of a context are for",
  details: "Replaces the nodes of the current context, or of the one given with --context. Without any, none is left.",
  examples: ["config node 10.5.0.2"],
  run: (context, { positional }) => changeContext(context, { nodes: positional.map((host) => host.trim()) }),
});

async function changeContext(
  context: CommandContext,
  change: { endpoints: string[] } | { nodes: string[] },
): Promise<number> {
  const { path, config } = await loadTalosconfig(context);
  const { name, context: before } = selectContext({ path, config }, context.globals.context);
  const contexts = { ...config.contexts, [name]: { ...before, ...change } };
  await writeTalosconfig({ path, config: { ...config, contexts } });
  return 0;
}

const mergeCommand = defineCommand({
  name: "merge",
  usage: "FILE",
  summary: "add the contexts of another talosconfig",
  details: [
    "A context whose name is taken gets -1, -2 and so on behind it. The current context of FILE becomes current.",
    "The file that is changed is made when it does not exist.",
  ].join("\n"),
  examples: ["config merge ./talosconfig"],
  async run(context, { positional: [from = ""] }) {
    const source = await readTalosconfig(from);
    const { path, config } = await loadOrNewTalosconfig(context);
    const merged = mergeTalosconfig(config, source);
    await writeTalosconfig({ path, config: merged.config });
    for (const { from, to } of merged.renamed) context.stdout.write(`context "${from}" is called "${to}" in ${path}\n`);
    return 0;
  },
});

const addCommand = defineCommand({
  name: "add",
  usage: "NAME",
  summary: "add a context from certificate files",
  details: "It becomes the current one when there is none yet.",
  examples: ["config add lab --ca ca.crt --crt admin.crt --key admin.key"],
  flags: {
    ca: flag.text({ placeholder: "FILE", help: "PEM certificate of the cluster's authority" }),
    crt: flag.text({ placeholder: "FILE", help: "PEM certificate of the client" }),
    key: flag.text({ placeholder: "FILE", help: "PEM private key of the client" }),
  },
  async run(context, { positional: [name = ""], flags }) {
    const { path, config } = await loadOrNewTalosconfig(context);
    if (Object.hasOwn(config.contexts, name)) {
      throw new TalosconfigError(path, `contexts.${name}`, "exists already; choose another name or remove it first");
    }
    const files = { ca: flags.ca, crt: flags.crt, key: flags.key };
    const added = Object.fromEntries(
      await Promise.all(
        Object.entries(files).map(async ([field, file]) => [field, file && await readPem(file)]),
      ),
    );
    const endpoints = [...context.globals.endpoints];
    const contexts = { ...config.contexts, [name]: { endpoints, ...added } };
    const file: TalosconfigFile = { path, config: { ...config, context: config.context || name, contexts } };
    if (Object.values(files).some((given) => given !== undefined)) await credentialsOf(file, name);
    await writeTalosconfig(file);
    return 0;
  },
});

/** The file's PEM text once more in base64. */
async function readPem(path: string): Promise<string> {
  try {
    return btoa(await Deno.readTextFile(path));
  } catch (cause) {
    throw new Error(`Cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

const removeCommand = defineCommand({
  name: "remove",
  usage: "NAME…",
  summary: "remove contexts",
  details: "The current context stays; choose another one first. Asks before it removes, unless --noconfirm is given.",
  flags: {
    noconfirm: flag.boolean({ short: "y", help: "do not ask" }),
    "dry-run": flag.boolean({ help: "only show what would be removed" }),
  },
  async run(context, { positional, flags }) {
    const file = await loadTalosconfig(context);
    for (const name of positional) selectContext(file, name);
    if (positional.includes(file.config.context)) {
      throw new TalosconfigError(
        file.path,
        "context",
        `is "${file.config.context}"; choose another before removing it`,
      );
    }
    const names = positional.map((name) => `"${name}"`).join(", ");
    if (flags["dry-run"]) {
      context.stdout.write(`would remove ${names} from ${file.path}\n`);
      return 0;
    }
    if (!flags.noconfirm && !context.confirm(`Remove ${names} from ${file.path}?`)) {
      context.stderr.write("nothing removed; --noconfirm removes without asking\n");
      return 1;
    }
    const contexts = Object.fromEntries(
      Object.entries(file.config.contexts).filter(([name]) => !positional.includes(name)),
    );
    await writeTalosconfig({ path: file.path, config: { ...file.config, contexts } });
    return 0;
  },
});

const infoCommand = defineCommand({
  name: "info",
  summary: "show the current context and how long its certificate is valid",
  flags: { output: flag.oneOf({ short: "o", help: "form of the output" }, ["text", "json", "yaml"], "text") },
  async run(context, { flags }) {
    const file = await loadTalosconfig(context);
    const info = await contextInfo(file, context.globals.context, new Date());
    if (flags.output === "json") context.stdout.write(`${JSON.stringify(info, undefined, 2)}\n`);
    else if (flags.output === "yaml") context.stdout.write((await import("@std/yaml")).stringify(info, { indent: 4 }));
    else context.stdout.write(formatInfo(info));
    return 0;
  },
});

/** What `config info` shows, with the keys of its JSON form. */
export interface ContextInfo {
  context: string;
  nodes: string[];
  endpoints: string[];
  /** Organizations of the certificate. */
  roles: string[];
  /** How far away the end of the certificate is, and its day; empty for a context without one. */
  certTTL: string;
  certNotAfter: string;
}

/**
 * What `config info` shows of a context.
 * @throws {TalosconfigError} no such context, or its certificate is malformed.
 */
export async function contextInfo(file: TalosconfigFile, wanted: string | undefined, now: Date): Promise<ContextInfo> {
  const { name, context } = selectContext(file, wanted);
  const { certificateInfo } = await import("../pki/mod.ts");
  const certificate = context.crt ? certificateInfo((await credentialsOf(file, name)).crtPem) : undefined;
  return {
    context: name,
    nodes: context.nodes ?? [],
    endpoints: context.endpoints ?? [],
    roles: certificate?.organizations ?? [],
    certTTL: certificate ? relativeTime(certificate.notAfter, now) : "",
    certNotAfter: certificate?.notAfter.toISOString().slice(0, 10) ?? "",
  };
}

function formatInfo(info: ContextInfo): string {
  const list = (items: readonly string[]) => items.length > 0 ? items.join(", ") : "not defined";
  return [
    `Current context:     ${info.context}`,
    `Nodes:               ${list(info.nodes)}`,
    `Endpoints:           ${list(info.endpoints)}`,
    ...(info.roles.length > 0 ? [`Roles:               ${info.roles.join(", ")}`] : []),
    ...(info.certTTL !== "" ? [`Certificate expires: ${info.certTTL} (${info.certNotAfter})`] : []),
    "",
  ].join("\n");
}

/** The group `config`. */
export const configCommands: readonly Command[] = [
  defineGroup({
    name: "config",
    summary: "change and show the talosconfig: clusters, credentials, machines",
    commands: [
      addCommand,
      contextCommand,
      contextsCommand,
      endpointCommand,
      infoCommand,
      mergeCommand,
      nodeCommand,
      removeCommand,
    ],
  }),
];
