const GAP = "   ";

/** Rows of cells as lines with aligned columns, three spaces apart; nothing pads the last cell of a row. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, [...cell].length);
  }
  return rows.map((row) => {
    const cells = row.map((cell, at) =>
      at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - [...cell].length)
    );
    return `${cells.join(GAP)}\n`;
  }).join("");
}
