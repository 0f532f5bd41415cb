import { exists } from "../paths.ts";
import { CommandError, commandOutput, hasProgram, runCommand, step, TaskError } from "../task.ts";

/**
 * Makes sure that Debian packages are installed on this machine, without recommended ones and without starting any
 * service. Does nothing when they are there.
 * @throws {TaskError} with the exact command to run, where this user or machine cannot install them
 */
export async function ensurePackages(packages: readonly string[]): Promise<void> {
  if (!await hasProgram("dpkg-query") || !await hasProgram("apt-get")) {
    throw new TaskError(
      "Cannot install packages: this machine has no apt",
      `Use Debian or Ubuntu, which have the packages ${packages.join(", ")}.`,
    );
  }
  const missing = await missingPackages(packages);
  if (missing.length === 0) return;
  if (Deno.uid() !== 0) {
    throw new TaskError(
      `Cannot install packages: not root, and missing are ${missing.join(", ")}`,
      `Run: sudo apt-get install --no-install-recommends ${missing.join(" ")}`,
    );
  }
  await step(`install ${missing.join(", ")}`, () => install(missing));
}

async function missingPackages(packages: readonly string[]): Promise<string[]> {
  const query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n"];
  const listed = new TextDecoder().decode(await commandOutput(query));
  const installed = new Set(
    listed.split("\n").filter((line) => line.endsWith(" installed")).map((l) => l.split(" ")[0]),
  );
  return packages.filter((name) => !installed.has(name));
}

async function install(packages: readonly string[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  let updateFailure = "";
  try {
    await runCommand(["apt-get", ...wait, "update"], { env });
  } catch (error) {
    // One unreachable source, often a foreign one, fails the update; the packages may be there all the same.
    if (!(error instanceof CommandError)) throw error;
    updateFailure = `\nBefore that: ${error.message}`;
  }
  await using _quiet = await forbidServiceStarts();
  try {
    await runCommand(["apt-get", ...wait, "install", "--yes", "--no-install-recommends", ...packages], { env });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new TaskError(`${error.message}${updateFailure}`, undefined, { cause: error });
  }
}

const POLICY = "/usr/sbin/policy-rc.d";

/** While in use, maintainer scripts start no service. A policy that the machine already has stays. @see invoke-rc.d(8) */
async function forbidServiceStarts(): Promise<AsyncDisposable> {
  if (await exists(POLICY)) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  await Deno.writeTextFile(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  return { [Symbol.asyncDispose]: () => Deno.remove(POLICY) };
}
