import type { CommandContext } from "./command.ts";

/** Credentials for one cluster and the machines to use. Keys that are not known here are kept. */
export interface TalosconfigContext {
  /** Machines to connect to: host, `host:port` or URL. */
  endpoints?: string[] | undefined;
  /** Machines that commands are for when none is given. */
  nodes?: string[] | undefined;
  /** Certificates and key: PEM text once more in base64. */
  ca?: string | undefined;
  crt?: string | undefined;
  key?: string | undefined;
  [other: string]: unknown;
}

/** A talosconfig file: contexts by name and the name of the current one. */
export interface Talosconfig {
  /** Empty when none is current. */
  context: string;
  contexts: Record<string, TalosconfigContext>;
  [other: string]: unknown;
}

/** A talosconfig file and where it is, or will be when it has not been written. */
export interface TalosconfigFile {
  path: string;
  config: Talosconfig;
}

/** PEM text for a mutual TLS connection; the key is PKCS #8 under `PRIVATE KEY`, which every TLS library takes. */
export interface Credentials {
  caPem: string;
  crtPem: string;
  keyPem: string;
}

/** A talosconfig file that cannot be used. */
export class TalosconfigError extends Error {
  override readonly name = "TalosconfigError";
  readonly path: string;
  /** Keys from the top to the bad value, joined by dots; empty for the whole file. */
  readonly field: string;

  constructor(path: string, field: string, state: string, options?: ErrorOptions) {
    super(`Cannot use the talosconfig ${path}: ${field === "" ? "" : `"${field}" `}${state}`, options);
    this.path = path;
    this.field = field;
  }
}

const SERVICE_ACCOUNT_PATH = "/var/run/secrets/talos.dev/config";

/** Where a talosconfig is looked for: one place when it is named by flag or variable, otherwise the first that exists. */
export function talosconfigPaths({ globals, env }: Pick<CommandContext, "globals" | "env">): string[] {
  const named = globals.talosconfig ?? env("TALOSCONFIG");
  if (named !== undefined) return [named];
  const folder = talosFolder(env);
  return folder === undefined ? [SERVICE_ACCOUNT_PATH] : [`${folder}/config`, SERVICE_ACCOUNT_PATH];
}

/** The variable counts only as an absolute path, as it does for talosctl. */
function talosFolder(env: CommandContext["env"]): string | undefined {
  const [named, home] = [env("TALOS_HOME"), env("HOME")];
  if (named?.startsWith("/")) return named;
  return home === undefined ? undefined : `${home}/.talos`;
}

/**
 * The talosconfig in use.
 * @throws {TalosconfigError} there is none, or it cannot be read.
 */
export async function loadTalosconfig(context: Pick<CommandContext, "globals" | "env">): Promise<TalosconfigFile> {
  const found = await findTalosconfig(context);
  if (found !== undefined) return found;
  const [path = "", ...others] = talosconfigPaths(context);
  const also = others.map((other) => `, nor does ${other}`).join("");
  throw new TalosconfigError(path, "", `the file does not exist${also}; name one with --talosconfig FILE`);
}

/** As {@linkcode loadTalosconfig}, but an empty one at the first place looked at when there is none. */
export async function loadOrNewTalosconfig(context: Pick<CommandContext, "globals" | "env">): Promise<TalosconfigFile> {
  const [path = ""] = talosconfigPaths(context);
  return await findTalosconfig(context) ?? { path, config: { context: "", contexts: {} } };
}

async function findTalosconfig(context: Pick<CommandContext, "globals" | "env">): Promise<TalosconfigFile | undefined> {
  for (const path of talosconfigPaths(context)) {
    try {
      return { path, config: await parseTalosconfig(path, await Deno.readTextFile(path)) };
    } catch (cause) {
      if (cause instanceof TalosconfigError) throw cause;
      if (cause instanceof Deno.errors.NotFound) continue;
      throw new TalosconfigError(path, "", `the file cannot be read (${String(cause)})`, { cause });
    }
  }
  return undefined;
}

/**
 * The talosconfig in a file that must exist.
 * @throws {TalosconfigError} it cannot be read.
 */
export async function readTalosconfig(path: string): Promise<Talosconfig> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    const state = cause instanceof Deno.errors.NotFound ? "does not exist" : `cannot be read (${String(cause)})`;
    throw new TalosconfigError(path, "", `the file ${state}`, { cause });
  }
  return await parseTalosconfig(path, text);
}

/** Loaded at the first file that is read: a command that needs no talosconfig does not pay for them. */
async function readers() {
  const [{ parse }, { talosconfigSchema }] = await Promise.all([
    import("@std/yaml"),
    import("./talosconfig_schema.ts"),
  ]);
  return { parse, schema: talosconfigSchema() };
}

/** A talosconfig from the text of the file at `path`. @throws {TalosconfigError} */
export async function parseTalosconfig(path: string, text: string): Promise<Talosconfig> {
  return parseTalosconfigAt(path, text, await readers());
}

function parseTalosconfigAt(
  path: string,
  text: string,
  { parse, schema }: Awaited<ReturnType<typeof readers>>,
): Talosconfig {
  let value: unknown;
  try {
    value = parse(text, { schema: "core" }) ?? {};
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^[^:]*: /, "") : String(cause);
    throw new TalosconfigError(path, "", `it is not YAML (${why})`, { cause });
  }
  const result = schema.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const expected = issue?.code === "invalid_type" ? issue.expected : "different value";
    throw new TalosconfigError(path, issue?.path.map(String).join(".") ?? "", `is not of the type ${expected}`);
  }
  const contexts = Object.entries(result.data.contexts ?? {}).map((
    [name, context],
  ) => [name, withoutNulls(context ?? {})]);
  return { ...result.data, context: result.data.context ?? "", contexts: Object.fromEntries(contexts) };
}

function withoutNulls(context: Record<string, unknown>): TalosconfigContext {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== null && value !== undefined));
}

/**
 * A context by name, the current one for `undefined`.
 * @throws {TalosconfigError} there is none of that name, or none is current.
 */
export function selectContext(
  { path, config }: TalosconfigFile,
  wanted?: string,
): { name: string; context: TalosconfigContext } {
  const name = wanted ?? config.context;
  const names = Object.keys(config.contexts);
  if (name === "") {
    throw new TalosconfigError(path, "context", `is not set; choose one of: ${names.join(", ") || "none"}`);
  }
  const context = Object.hasOwn(config.contexts, name) ? config.contexts[name] : undefined;
  if (context !== undefined) return { name, context };
  throw new TalosconfigError(path, `contexts.${name}`, `does not exist; there are: ${names.join(", ") || "none"}`);
}

/** A context that was given another name because its own was taken. */
export interface RenamedContext {
  from: string;
  to: string;
}

/**
 * `into` with the contexts of `from` added. One whose name is taken by a different context gets `-1`, `-2`, … behind
 * it; an equal one is there already. The current context of `from` becomes current.
 */
export function mergeTalosconfig(
  into: Talosconfig,
  from: Talosconfig,
): { config: Talosconfig; renamed: RenamedContext[] } {
  const contexts = { ...into.contexts };
  const names = new Map<string, string>();
  for (const [name, context] of Object.entries(from.contexts)) {
    let to = name;
    for (let at = 1; Object.hasOwn(contexts, to) && !isEqualContext(contexts[to], context); at++) to = `${name}-${at}`;
    contexts[to] = context;
    names.set(name, to);
  }
  const renamed = [...names].filter(([name, to]) => name !== to).map(([name, to]) => ({ from: name, to }));
  return { config: { ...into, context: names.get(from.context) ?? into.context, contexts }, renamed };
}

function isEqualContext(a: TalosconfigContext | undefined, b: TalosconfigContext): boolean {
  const sorted = (context: TalosconfigContext = {}) =>
    JSON.stringify(Object.entries(context).sort(([x], [y]) => x < y ? -1 : 1));
  return sorted(a) === sorted(b);
}

/**
 * The certificates and the key of a context, decoded and parsed once.
 * @throws {TalosconfigError} one is missing or malformed; the error names the field.
 */
export async function credentialsOf({ path, config }: TalosconfigFile, wanted?: string): Promise<Credentials> {
  const pki = await import("../pki/mod.ts"); // 20 ms to load
  const { formatPrivateKeyPkcs8, fromBase64Pem, isKeyOf, parsePrivateKey } = pki;
  const { name, context } = selectContext({ path, config }, wanted);
  const read = <T>(field: "ca" | "crt" | "key", decode: (base64: string) => T): T => {
    const value = context[field];
    const place = `contexts.${name}.${field}`;
    if (value === undefined || value === "") throw new TalosconfigError(path, place, "is missing");
    try {
      return decode(value);
    } catch (cause) {
      if (cause instanceof SyntaxError) throw new TalosconfigError(path, place, "is not PEM text in base64", { cause });
      throw cause;
    }
  };
  const caPem = read("ca", fromBase64Pem);
  const crtPem = read("crt", fromBase64Pem);
  const key = read("key", (base64) => parsePrivateKey(fromBase64Pem(base64)));
  if (!read("crt", () => isKeyOf(key, crtPem))) {
    throw new TalosconfigError(path, `contexts.${name}.key`, "is not the key of the certificate beside it");
  }
  return { caPem, crtPem, keyPem: formatPrivateKeyPkcs8(key) };
}

/** What a client needs to reach machines: flags first, then the context. */
export interface Connection {
  /** The talosconfig that the rest comes from. */
  path: string;
  contextName: string;
  endpoints: readonly string[];
  /** Machines that the command is for; empty when none is given, which means the endpoint itself. */
  nodes: readonly string[];
  credentials: Credentials;
}

/**
 * Where and as whom a command connects.
 * @throws {TalosconfigError} no file, no such context, no endpoint, or bad credentials.
 */
export async function loadConnection(command: Pick<CommandContext, "globals" | "env">): Promise<Connection> {
  const file = await loadTalosconfig(command);
  const { globals } = command;
  const { name, context } = selectContext(file, globals.context);
  const nodes = globals.nodes.length > 0 ? globals.nodes : context.nodes ?? [];
  const endpoints = [globals.endpoints, context.endpoints ?? [], nodes].find((list) => list.length > 0);
  if (endpoints === undefined) {
    throw new TalosconfigError(file.path, `contexts.${name}.endpoints`, "is empty; give one with --endpoints HOST");
  }
  return { path: file.path, contextName: name, endpoints, nodes, credentials: await credentialsOf(file, name) };
}
