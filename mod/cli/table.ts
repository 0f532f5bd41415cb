const GAP = "   ";

/** Lines with aligned columns, three spaces apart; nothing pads the last cell of a row. Columns only ever get wider. */
export class TableFormat {
  readonly #widths: number[];

  /** @param widths of columns that may come to hold more than the first rows do. */
  constructor(widths: readonly number[] = []) {
    this.#widths = [...widths];
  }

  /** The next rows, aligned with each other and with those before as far as these were wide enough. */
  lines(rows: readonly (readonly string[])[]): string {
    const widths = this.#widths;
    for (const row of rows) {
      for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, width(cell));
    }
    return rows.map((row) => {
      const cells = row.map((cell, at) =>
        at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - width(cell))
      );
      return `${cells.join(GAP)}\n`;
    }).join("");
  }
}

function width(cell: string): number {
  return [...cell].length;
}

/** All rows of a table as lines; see {@linkcode TableFormat}. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  return new TableFormat().lines(rows);
}
