/** A title and lines below it; a value that is not known shows as nothing. */
export function versionText(title: string, lines: readonly (readonly [name: string, value: string])[]): string {
  return [`${title}:`, ...lines.map(([name, value]) => `\t${`${name}:`.padEnd(13)}${value}`.trimEnd()), ""].join("\n");
}
