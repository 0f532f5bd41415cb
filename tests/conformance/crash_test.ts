/**
 * A state on disk whose writer is killed, whose file is damaged, whose disk is full. More runs: CRASH_RUNS=1000
 * DAMAGE_RUNS=200. The seed can be set with TEST_SEED.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { mount, MS_NOSUID, unmount } from "../../kernel/mount.ts";
import { type Resource, type State, StoreError } from "../../mod/cosi/mod.ts";
import { numberOf, SeededRandom, testSeed } from "./seeded_random.ts";
import { StoreFolder } from "./sqlite_store.ts";
import { at, KIND, type Thing, thing } from "./state_fixture.ts";

const LANES = 12;
const valueOf = ({ spec }: Resource) => (spec as Thing).value;

/** When a writer is killed: after so many answers, or so long after its start, whatever it does then. */
interface Kill {
  readonly answers: number;
  readonly ms: number;
}

/** One run in four is killed by the clock, and so sometimes while it opens the store. */
function randomKill(random: SeededRandom): Kill {
  if (random.below(4) === 0) return { answers: Infinity, ms: random.below(300) };
  return { answers: random.below(random.below(10) === 0 ? 6000 : 300), ms: 30_000 }; // 6000: the log starts over
}

/** Runs a writer until it is killed. Answers with the last value of each lane that was answered. */
async function killedWriter(path: string, { answers, ms }: Kill): Promise<Map<string, number>> {
  const script = fileURLToPath(new URL("crash_writer.ts", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", script, path, String(LANES)],
    ...{ stdin: "null", stdout: "piped", stderr: "inherit" } as const,
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  const answered = new Map<string, number>();
  let rest = "", lines = 0;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      const [lane = "", value] = line.split(" ");
      if (value !== undefined) answered.set(lane, Number(value));
      if (lines++ === answers) child.kill("SIGKILL");
    }
  }
  clearTimeout(timer);
  strictEqual((await child.status).signal, "SIGKILL");
  return answered;
}

/** Everything that was answered is there, and of each transaction all or nothing. */
async function checkLanes(state: State, answered: ReadonlyMap<string, number>): Promise<void> {
  const objects = new Map((await state.list(KIND)).map((resource) => [resource.metadata.id, valueOf(resource)]));
  let expected = 0;
  for (let lane = 0; lane < LANES; lane++) {
    const value = objects.get(`${lane}-left`) ?? 0;
    ok(value >= (answered.get(`${lane}`) ?? 0), `lane ${lane}: ${answered.get(`${lane}`)} was answered, not ${value}`);
    if (value === 0) continue;
    strictEqual(objects.get(`${lane}-right`), value);
    const made = Math.min(value, 20);
    for (let older = value; older > value - made; older--) strictEqual(objects.get(`${lane}-made-${older}`), older);
    expected += 2 + made;
  }
  strictEqual(objects.size, expected);
}

Deno.test("a writer that is killed loses no answered write and leaves no half one", async () => {
  const runs = numberOf("CRASH_RUNS", 60);
  const random = new SeededRandom(testSeed("killed writers"));
  await using folder = new StoreFolder();
  const known = new Map<string, number>();
  for (let run = 0; run < runs; run++) {
    for (const [lane, value] of await killedWriter(folder.path, randomKill(random))) known.set(lane, value);
    await using state = await folder.open();
    deepStrictEqual(folder.damages, []);
    await checkLanes(state, known);
  }
});

/** What is stored, as text that tells all versions apart. */
async function contents(state: State): Promise<string> {
  const list = await state.list(KIND);
  return list.map(({ metadata, spec }) => `${metadata.id}@${metadata.version}=${JSON.stringify(spec)}`).join();
}

/** A copy of a store as a crash leaves it, and what it held after each commit. */
async function crashedStore(random: SeededRandom, folder: StoreFolder): Promise<Set<string>> {
  await using live = new StoreFolder();
  await using state = await live.open();
  const states = new Set([await contents(state)]);
  for (let commit = 0; commit < 40; commit++) {
    await Promise.all(Array.from({ length: 1 + random.below(20) }, () => {
      const id = `${random.below(60)}`;
      return state.transact((tx) => {
        if (tx.find(at(id)) !== undefined && random.below(3) === 0) tx.destroy(at(id));
        else tx.modify(at(id), (old) => ({ ...old ?? thing(id), spec: { value: random.below(1e6) } }));
      });
    }));
    states.add(await contents(state));
  }
  for (const part of ["", "-wal"]) Deno.copyFileSync(live.path + part, folder.path + part);
  return states;
}

/** Cuts the file, or changes some of its bytes. */
function damage(random: SeededRandom, path: string): string {
  const bytes = Deno.readFileSync(path);
  if (random.below(3) === 0) {
    const length = random.below(bytes.length);
    Deno.writeFileSync(path, bytes.subarray(0, length));
    return `cut at ${length}`;
  }
  const flips = 1 + random.below(8);
  const places = Array.from({ length: flips }, () => random.below(bytes.length));
  for (const place of places) bytes[place] = (bytes[place] ?? 0) ^ (1 << random.below(8));
  Deno.writeFileSync(path, bytes);
  return `flipped at ${places}`;
}

Deno.test("a damaged store is recovered to what it was, or put aside with a diagnostic", async () => {
  const runs = numberOf("DAMAGE_RUNS", 30);
  const random = new SeededRandom(testSeed("damaged stores"));
  let aside = 0;
  for (let run = 0; run < runs; run++) {
    await using folder = new StoreFolder();
    const states = await crashedStore(random, folder);
    if (random.below(2) === 0) { // all in the file itself, as after a clean end
      await using state = await folder.open();
      strictEqual(await contents(state), [...states].at(-1));
    }
    const parts = folder.names().includes("state.db-wal") ? ["", "-wal"] : [""];
    const part = parts[random.below(parts.length)] ?? "";
    const what = `${part === "" ? "file" : "log"} ${damage(random, folder.path + part)}`;
    await using state = await folder.open();
    if (folder.damages.length > 0) {
      aside++;
      match(folder.damages.join(), /put aside as/);
      ok(folder.names().some((name) => name.includes(".damaged-")), what);
      strictEqual(await contents(state), "");
    } else {
      // A log that ends early, or a damage of its last commits, is as a crash leaves it.
      const back = what.startsWith("log cut") ? states.size : what.startsWith("log") ? 3 : 1;
      ok([...states].slice(-back).includes(await contents(state)), `${what}: wrong data`);
    }
    await state.create(thing("new"));
  }
  console.log(`${aside} of ${runs} damaged stores were put aside`);
});

Deno.test({
  name: "a full disk is a clear error, and what was answered stays",
  ignore: Deno.uid() !== 0,
  async fn() {
    const disk = await Deno.makeTempDir();
    mount({ source: "state", target: disk, type: "tmpfs", flags: MS_NOSUID, data: "size=1m" });
    try {
      const isFull = (error: unknown) => error instanceof StoreError && error.problem === "full";
      const filler = `${disk}/filler`;
      await Deno.writeFile(filler, new Uint8Array(300_000));
      await using folder = new StoreFolder(disk);
      let answered = 0, before = "";
      {
        await using state = await folder.open();
        const failed = Array.from({ length: 20_000 }, (_, index) => index);
        await rejects(async () => {
          for (const index of failed) {
            before = await contents(state);
            await state.create(thing(`${index}`, index));
            answered++;
          }
        }, isFull);
        strictEqual(await contents(state), before);
        await rejects(state.create(thing("more")), isFull);
      }
      await Deno.remove(filler);
      await using state = await folder.open();
      deepStrictEqual(folder.damages, []);
      strictEqual((await state.list(KIND)).length, answered);
      await state.create(thing("more"));
    } finally {
      unmount(disk);
      await Deno.remove(disk);
    }
  },
});
