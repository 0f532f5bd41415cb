/**
 * Runs the rungs of the test ladder, cheapest first, and closes with `N passed, M failed`.
 * Usage: deno task test [RUNG…]. Without a name, all rungs run. A rung that cannot start is a failure.
 */
import { ensurePackages } from "../image/tasks/apt.ts";
import { buildBinary } from "../image/tasks/build.ts";
import { buildRoot } from "../image/tasks/root.ts";

interface Rung {
  readonly name: string;
  readonly paths: readonly string[];
  /** Installs and builds what the tests start. */
  readonly prepare?: () => Promise<void>;
}

async function prepareNode(): Promise<void> {
  await buildRoot();
  await buildBinary();
}

/** Programs of the tests themselves run in namespaces, and mount there. */
async function prepareNamespaces(): Promise<void> {
  await ensurePackages(["mount"]);
  await prepareNode();
}

const RUNGS: readonly Rung[] = [
  { name: "unit", paths: ["mod", "kernel", "resources", "controllers", "image"], prepare: prepareLibraries },
  { name: "layers", paths: ["tests/layers_test.ts", "tests/clauses"] },
  { name: "conformance", paths: ["tests/conformance"] },
  { name: "netns", paths: ["tests/netns"], prepare: prepareNamespaces },
  { name: "node", paths: ["tests/node"], prepare: prepareNode },
  { name: "boot", paths: ["tests/boot"], prepare: prepareNode },
];

/** The libraries that the program itself opens. */
async function prepareLibraries(): Promise<void> {
  await ensurePackages(["libmnl0", "libkmod2"]);
}

interface Count {
  passed: number;
  failed: number;
}

/** Runs one rung and reads the counts of its closing line. */
async function runRung(rung: Rung): Promise<Count> {
  console.log(`\n== ${rung.name}`);
  try {
    await rung.prepare?.();
  } catch (cause) {
    console.error(`Cannot prepare rung ${rung.name}: ${cause instanceof Error ? cause.message : cause}`);
    return { passed: 0, failed: 1 };
  }
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-prompt", ...rung.paths],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    Deno.stdout.writeSync(new TextEncoder().encode(part));
    text = (text + part).slice(-4096);
  }
  const { success } = await child.status;
  const match = /\| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed/.exec(text);
  const count = { passed: Number(match?.[1] ?? 0), failed: Number(match?.[2] ?? 0) };
  return success || count.failed > 0 ? count : { ...count, failed: count.failed + 1 };
}

const wanted = Deno.args.filter((word) => !word.startsWith("-"));
const unknown = wanted.find((word) => !RUNGS.some((rung) => rung.name === word));
if (unknown !== undefined) {
  console.error(`Cannot run rung "${unknown}": the rungs are ${RUNGS.map((rung) => rung.name).join(", ")}`);
  Deno.exit(2);
}
const total: Count = { passed: 0, failed: 0 };
for (const rung of RUNGS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const { passed, failed } = await runRung(rung);
  total.passed += passed;
  total.failed += failed;
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
if (total.failed > 0 || total.passed === 0) Deno.exit(1);
