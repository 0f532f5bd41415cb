/** Every import obeys the table of layers: who may know whom, package by package. */
import { deepStrictEqual, ok } from "node:assert/strict";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Packages of `mod/` without effects, which `kernel/` may use. */
const PURE = new Set(["netip"]);
const IMPORT =
  /^\s*(?:import|export)\b[^"';=(]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm;

interface Place {
  /** `mod/cosi`, `kernel`, `resources/network`, `controllers/network`, `image`, `tests`, `main.ts`. */
  readonly part: string;
  readonly path: string;
}

function placeOf(path: string): Place {
  const [top = "", second = ""] = path.split("/");
  const inside = path.split("/").length > 2 && ["mod", "resources", "controllers"].includes(top);
  return { part: inside ? `${top}/${second}` : top, path };
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(ROOT, folder))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory && !entry.name.startsWith(".") && !["dist", "gen", "node_modules"].includes(entry.name)) {
      yield* sources(path);
    } else if (entry.isFile && entry.name.endsWith(".ts")) yield path;
  }
}

/** Why `from` may not import `to`, or undefined when it may. */
function objection(from: Place, to: Place): string | undefined {
  if (from.part === "tests" || from.part === "main.ts" || from.part === to.part) return undefined;
  if (to.part === "tests" || to.part === "main.ts") return "nobody imports it";
  if (to.part === "image") return "the build imports the program, not the other way round";
  if (to.part.startsWith("mod/") && to.path !== `${to.part}/mod.ts`) return "a package is entered through its mod.ts";
  const [top = "", domain] = from.part.split("/");
  const [toTop = ""] = to.part.split("/");
  switch (top) {
    case "image":
      return undefined;
    case "mod":
      if (toTop === "mod") return undefined; // cycles are looked for apart
      if (toTop === "resources" && (domain === "api" || domain === "cli")) return undefined;
      if (toTop === "kernel" && ["supervisor", "boot", "node"].includes(domain ?? "")) return undefined;
      return `mod/${domain} may not know ${toTop}/`;
    case "kernel":
      return toTop === "mod" && PURE.has(to.part.slice(4)) ? undefined : "kernel/ knows only itself and pure packages";
    case "resources":
      if (toTop === "resources") return undefined;
      return ["mod/schema", "mod/cosi", "mod/config", "mod/netip"].includes(to.part)
        ? undefined
        : `resources/ may not know ${to.part}`;
    case "controllers":
      if (from.path === "controllers/all.ts") return undefined;
      if (toTop === "controllers") return "domains talk through resources";
      return to.part === "mod/api" || to.part === "mod/cli" ? `controllers/ may not know ${to.part}` : undefined;
  }
  return `unknown part ${from.part}`;
}

interface Edge {
  readonly from: Place;
  readonly to: Place;
}

async function edges(): Promise<Edge[]> {
  const found: Edge[] = [];
  for await (const path of sources("")) {
    const from = placeOf(path);
    if (path.endsWith("_test.ts")) continue; // tests may reach what they need
    for (const match of (await Deno.readTextFile(join(ROOT, path))).matchAll(IMPORT)) {
      const specifier = match[1] ?? match[2] ?? match[3] ?? "";
      if (!specifier.startsWith(".")) continue;
      const target = relative(ROOT, normalize(join(ROOT, dirname(path), specifier)));
      found.push({ from, to: placeOf(target) });
    }
  }
  return found;
}

Deno.test("every import obeys the table of layers", async () => {
  const all = await edges();
  ok(all.length > 100, "the scan found no imports");
  const wrong = all.flatMap(({ from, to }) => {
    const why = objection(from, to);
    return why === undefined ? [] : [`${from.path} -> ${to.path}: ${why}`];
  });
  deepStrictEqual(wrong, []);
});

Deno.test("packages of mod/ do not import each other in circles", async () => {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of await edges()) {
    if (!from.part.startsWith("mod/") || !to.part.startsWith("mod/") || from.part === to.part) continue;
    graph.set(from.part, (graph.get(from.part) ?? new Set()).add(to.part));
  }
  const circles: string[] = [];
  const visit = (part: string, path: readonly string[]): void => {
    if (path.includes(part)) return void circles.push([...path.slice(path.indexOf(part)), part].join(" -> "));
    for (const next of graph.get(part) ?? []) visit(next, [...path, part]);
  };
  for (const part of graph.keys()) visit(part, []);
  deepStrictEqual([...new Set(circles)], []);
});

Deno.test("the top level holds what it should and nothing else", async () => {
  const expected = ["README.md", "controllers", "deno.json", "image", "kernel", "main.ts", "mod", "resources", "tests"];
  const found: string[] = [];
  for await (const { name } of Deno.readDir(ROOT)) {
    if (!name.startsWith(".") && !["deno.lock", "dist", "node_modules"].includes(name)) found.push(name);
  }
  deepStrictEqual(found.sort(), expected.sort());
});
