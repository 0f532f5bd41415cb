import { isMap, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from "yaml";

/**
 * YAML text that holds `after` where `text` holds `before`. What is equal in both stays as it is written: comments,
 * order, quotes, numbers that no JavaScript number holds. Texts with anchors may come to say more than that.
 * @throws {SyntaxError} when `text` is not YAML.
 */
export function editYaml(text: string, before: unknown, after: unknown): string {
  const document = parseDocument<Node, false>(text, { intAsBigInt: true, logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) throw new SyntaxError("Cannot edit the YAML text: it is broken", { cause: error });
  if (isMap(document.contents) && isRecord(before) && isRecord(after)) editMap(document.contents, before, after);
  else document.contents = document.createNode(after) as Node;
  return document.toString({ indent: 4, lineWidth: 0 });

  function editMap(map: YAMLMap, before: Record<string, unknown>, after: Record<string, unknown>): void {
    map.items = map.items.filter((pair) => Object.hasOwn(after, keyOf(pair)) || !Object.hasOwn(before, keyOf(pair)));
    for (const [key, value] of Object.entries(after)) {
      const old = Object.hasOwn(before, key) ? before[key] : undefined;
      if (JSON.stringify(old) === JSON.stringify(value)) continue;
      const pair = map.items.find((one) => keyOf(one) === key);
      if (pair === undefined) map.add(document.createPair(key, value));
      else if (isMap(pair.value) && isRecord(old) && isRecord(value)) editMap(pair.value, old, value);
      else pair.value = document.createNode(value);
    }
  }
}

function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
