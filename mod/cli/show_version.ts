import { MachineClient, type VersionInfo } from "../api/mod.ts";
import type { CommandContext } from "./command.ts";
import { openTargets } from "./targets.ts";
import { versionText } from "./version_text.ts";

/** `version`: what runs on the nodes. */
export async function showNodeVersions(context: CommandContext, { short }: { readonly short: boolean }) {
  using targets = await openTargets(context);
  const { answers, exitCode } = await targets.each(context, "show the version of", async ({ client, options }) => {
    const [answer] = await new MachineClient(client).version(options);
    return answer?.value;
  });
  for (const { node, value } of answers) {
    if (value === undefined) continue;
    context.stdout.write(short ? `Server ${node}: ${value.tag}\n` : nodeVersionText(node, value));
  }
  return exitCode;
}

function nodeVersionText(node: string, version: VersionInfo): string {
  const { tag, sha, built, runtime, os, arch, platform, mode } = version;
  return versionText("Server", [
    ["NODE", node],
    ["Tag", tag],
    ["SHA", sha],
    ["Built", built],
    ["Runtime", runtime],
    ["OS/Arch", `${os}/${arch}`],
    ["Platform", platform === mode ? platform : `${platform} (${mode})`],
  ]);
}
