import { nearest } from "../schema/mod.ts";

/** One step into a value: a key or an index. */
export type Step = string | number;

/** What a check found, by place; positions in the text are looked up once all checks are done. */
export interface Finding {
  readonly document: number;
  readonly steps: readonly Step[];
  readonly message: string;
}

/** What checks found so far. */
export interface Findings {
  readonly errors: Finding[];
  readonly warnings: Finding[];
}

/** A place in a decoded document, which need not be there: checks read it and report at it. */
export class Place {
  readonly value: unknown;
  readonly #findings: Findings;
  readonly #document: number;
  readonly #steps: readonly Step[];

  constructor(findings: Findings, document: number, value: unknown, steps: readonly Step[] = []) {
    this.#findings = findings;
    this.#document = document;
    this.value = value;
    this.#steps = steps;
  }

  /** The place below: `at("provisioning", "minSize")`. */
  at(...steps: readonly Step[]): Place {
    let value = this.value;
    for (const step of steps) {
      value = typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? (value as Readonly<Record<Step, unknown>>)[step]
        : undefined;
    }
    return new Place(this.#findings, this.#document, value, [...this.#steps, ...steps]);
  }

  /** Whether the key is set, if only to an empty value. */
  get isSet(): boolean {
    return this.value !== undefined;
  }

  /** The text here, empty when there is none. */
  get text(): string {
    return typeof this.value === "string" ? this.value : "";
  }

  /** The number here, if there is one. */
  get number(): number | undefined {
    return typeof this.value === "number" ? this.value : undefined;
  }

  /** Whether a switch is on. */
  get isOn(): boolean {
    return this.value === true;
  }

  /** The places of a list's items. */
  get items(): readonly Place[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.at(index)) : [];
  }

  /** Keys of a mapping and their places. */
  get entries(): readonly (readonly [string, Place])[] {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) return [];
    return Object.keys(this.value).map((name) => [name, this.at(name)] as const);
  }

  /** The config cannot work with what stands here. */
  error(message: string): void {
    this.#findings.errors.push({ document: this.#document, steps: this.#steps, message });
  }

  /** The config works, but probably not as meant. */
  warn(message: string): void {
    this.#findings.warnings.push({ document: this.#document, steps: this.#steps, message });
  }

  /** Reports a key that must be set and is not; tells whether it is. */
  require(): boolean {
    const given = this.isSet && this.value !== "" && this.value !== 0 &&
      !(Array.isArray(this.value) && this.value.length === 0);
    if (!given) this.error("must be set");
    return given;
  }

  /** Reports a text that is none of `words`. */
  oneOf(words: readonly string[]): void {
    if (words.includes(this.text)) return;
    const meant = nearest(this.text, words);
    const hint = meant === undefined ? `expected one of ${words.join(", ")}` : `did you mean "${meant}"?`;
    this.error(`no such name "${this.text}", ${hint}`);
  }
}

/** `interfaces[0].mtu` of the steps to a place; keys that are no plain names are quoted. */
export function formatSteps(steps: readonly Step[]): string {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w-]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}
