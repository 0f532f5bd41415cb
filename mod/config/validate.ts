import { isMap, isScalar, isSeq, type LineCounter, type Node } from "yaml";
import { isEmpty, type RecordShape, type Shape } from "../schema/mod.ts";
import { parseDocuments } from "./decode.ts";
import type { MachineConfigDocuments } from "./documents.ts";
import { type Finding, type Findings, formatSteps, Place, type Step } from "./place.ts";
import type { Problem } from "./problem.ts";
import { textOf } from "./scalar_text.ts";
import { DOCUMENT_SHAPES } from "./schema/kinds.ts";
import { V1ALPHA1 } from "./schema/v1alpha1.ts";
import { BLOCK_CHECKS } from "./validate_block.ts";
import { checkTogether } from "./validate_together.ts";
import { NETWORK_CHECKS } from "./validate_network.ts";
import { SERVICE_CHECKS } from "./validate_services.ts";
import { checkV1Alpha1 } from "./validate_v1alpha1.ts";

/** What the machine is: hardware or a plain virtual machine, a cloud's, or a container on somebody's host. */
export type MachineMode = "metal" | "cloud" | "container";

/** What validation found. */
export interface Verdict {
  /** The config cannot work; it must not be applied. */
  readonly errors: readonly Problem[];
  /** It works, though probably not as meant, or it asks for what nothing does yet. */
  readonly warnings: readonly Problem[];
}

const CHECKS = { ...NETWORK_CHECKS, ...BLOCK_CHECKS, ...SERVICE_CHECKS };

/** Checks what the documents say, each by itself and all together. Reads nothing but the config. */
export function validateConfig(config: MachineConfigDocuments, mode: MachineMode): Verdict {
  const findings: Findings = { errors: [], warnings: [] };
  for (const { kind, value, document } of config.documents) {
    const place = new Place(findings, document, value);
    checkRequired(kind === "v1alpha1" ? V1ALPHA1 : DOCUMENT_SHAPES[kind], place);
    if (kind === "v1alpha1") checkV1Alpha1(place);
    else CHECKS[kind]?.(place);
  }
  checkTogether(config, mode, findings);
  let known: ReturnType<typeof locator> | undefined;
  const locate = (finding: Finding) => (known ??= locator(config.text))(finding);
  return {
    errors: findings.errors.map(locate),
    /** Located when somebody looks, which nobody does at a start. */
    get warnings() {
      return findings.warnings.map(locate);
    },
  };
}

/** Reports keys that must be set and are not, on every level. */
function checkRequired(shape: RecordShape, place: Place): void {
  for (const [name, field] of Object.entries(shape.fields)) {
    const member = place.at(name);
    if (!field.optional && isEmpty(field.shape, member.value)) member.error("must be set");
    else if (member.isSet) checkRequiredBelow(field.shape, member);
  }
}

function checkRequiredBelow(shape: Shape, place: Place): void {
  if (shape.kind === "record") checkRequired(shape, place);
  else if (shape.kind === "list") place.items.forEach((item) => checkRequiredBelow(shape.item, item));
  else if (shape.kind === "map") place.entries.forEach(([, item]) => checkRequiredBelow(shape.value, item));
}

/** Where findings stand in the text. Parses it again: that costs less than keeping positions of every config. */
function locator(text: string): (finding: Finding) => Problem {
  const parsed = [...parseDocuments(text)];
  return ({ document, steps, message }) => {
    const source = parsed[document - 1];
    const offset = source === undefined ? 0 : offsetOf(source.document.contents, steps);
    const { line, column } = position(source?.lines, offset);
    return { document, line, column, path: formatSteps(steps), message };
  };
}

function position(lines: LineCounter | undefined, offset: number): { line: number; column: number } {
  const { line, col } = lines?.linePos(offset) ?? { line: 1, col: 1 };
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Where the value at `steps` begins, or the nearest thing above it that is there. */
function offsetOf(root: Node | null, steps: readonly Step[]): number {
  let node = root;
  for (const step of steps) {
    let below: unknown;
    if (isSeq(node)) below = node.items[Number(step)];
    else if (isMap(node)) {
      below = node.items.find(({ key }) => isScalar(key) && textOf(key) === step)?.value;
    }
    if (below === undefined || below === null) break;
    node = below as Node;
  }
  return node?.range?.[0] ?? 0;
}
