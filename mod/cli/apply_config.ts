import { type ApplyMode, type ApplyResult, MachineClient } from "../api/mod.ts";
import type { CommandContext } from "./command.ts";
import { openTargets } from "./targets.ts";

/** What `apply-config` is asked for. */
export interface ApplyConfigOptions {
  /** `-` for standard input. */
  readonly file: string;
  /** Applied to the config in this order; `@FILE` names a file. */
  readonly patches: readonly string[];
  readonly mode: ApplyMode;
  readonly dryRun: boolean;
  /** With mode `try`: when the old config comes back. */
  readonly tryTimeoutMs: number;
}

/** `apply-config`: gives all nodes a new machine config. The file is read before any node is called. */
export async function runApplyConfig(context: CommandContext, options: ApplyConfigOptions): Promise<number> {
  const { file, patches, mode, dryRun, tryTimeoutMs } = options;
  const data = await patched(await readConfig(file), patches);
  using targets = await openTargets(context);
  const request = { data, mode, dryRun, tryTimeoutMs };
  const { answers, exitCode } = await targets.each(context, "apply the config to", async ({ client, options }) => {
    return await new MachineClient(client).applyConfiguration(request, options);
  });
  for (const { node, value } of answers) {
    for (const { value: result } of value) {
      for (const warning of result.warnings) context.stderr.write(`${node}: warning: ${warning}\n`);
      context.stdout.write(resultText(node, result, dryRun));
    }
  }
  return exitCode;
}

async function patched(data: Uint8Array, patches: readonly string[]): Promise<Uint8Array> {
  if (patches.length === 0) return data;
  const { patchConfig } = await import("../config/mod.ts");
  let text = new TextDecoder().decode(data);
  for (const patch of patches) {
    const isFile = patch.startsWith("@");
    text = patchConfig(text, isFile ? new TextDecoder().decode(await readConfig(patch.slice(1))) : patch);
  }
  return new TextEncoder().encode(text);
}

async function readConfig(file: string): Promise<Uint8Array> {
  try {
    return file === "-" ? await new Response(Deno.stdin.readable).bytes() : await Deno.readFile(file);
  } catch (cause) {
    const state = cause instanceof Deno.errors.NotFound ? "the file does not exist" : String(cause);
    throw new Error(`Cannot read the config ${file}: ${state}`, { cause });
  }
}

/** What the node says, or in few words what it did. */
function resultText(node: string, { mode, modeDetails }: ApplyResult, dryRun: boolean): string {
  if (modeDetails === "") return `${node}: ${dryRun ? "nothing would change" : `applied in mode ${mode}`}\n`;
  const gap = modeDetails.trimEnd().includes("\n") ? "\n" : " ";
  return `${node}:${gap}${modeDetails.trimEnd()}\n`;
}
