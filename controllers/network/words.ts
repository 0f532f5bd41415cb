/** Words of a table by their numbers. */
export class Words<W extends string> {
  #words: Map<number, W>;
  #other: W;

  /** @param other for numbers that are not in the table */
  constructor(table: Readonly<Record<W, number>>, other: W) {
    this.#words = new Map((Object.entries(table) as [W, number][]).map(([word, number]) => [number, word]));
    this.#other = other;
  }

  word(number: number): W {
    return this.#words.get(number) ?? this.#other;
  }
}

/** Names of set bits. Sets repeat, so each text is made once. */
export class FlagNames {
  #table: readonly [name: string, bit: number][];
  #texts = new Map<number, string>();
  #mask: number;

  constructor(table: Readonly<Record<string, number>>) {
    this.#table = Object.entries(table);
    this.#mask = this.#table.reduce((mask, [, bit]) => mask | bit, 0);
  }

  /** The names joined with `,`; bits without a name are left out. */
  text(flags: number): string {
    const known = flags & this.#mask;
    let text = this.#texts.get(known);
    if (text === undefined) {
      text = this.#table.filter(([, bit]) => (known & bit) !== 0).map(([name]) => name).join(",");
      this.#texts.set(known, text);
    }
    return text;
  }
}
