import { type Command, GLOBAL_FLAGS, type Program } from "./command.ts";
import type { FlagTable } from "./flags.ts";

/**
 * A script for bash that completes commands and flags of a program; with `zsh`, for zsh through its emulation of bash.
 * All words are in it, so that completing starts no program.
 */
export function completionScript(program: Program, shell: "bash" | "zsh"): string {
  const name = program.name.replaceAll(/\W/g, "_");
  const cases = [
    caseText([], program.commands, GLOBAL_FLAGS),
    ...program.commands.flatMap((command) => commandCases([], command)),
  ];
  const lines = [
    ...(shell === "zsh" ? ["autoload -U +X bashcompinit && bashcompinit"] : []),
    `_${name}() {`,
    `  local at word path="" words="" flags="" current="\${COMP_WORDS[COMP_CWORD]}"`,
    "  for ((at = 1; at < COMP_CWORD; at++)); do",
    '    word="${COMP_WORDS[at]}"',
    '    case "$word" in',
    `      ${flagsWithValue(program).join("|")}) at=$((at + 1)) ;;`,
    "      -*) ;;",
    '      *) path="$path $word" ;;',
    "    esac",
    "  done",
    '  case "$path" in',
    ...cases.map((line) => `    ${line}`),
    "  esac",
    '  [[ "$current" == -* ]] && words="$flags"',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    `complete -o default -F _${name} ${program.name}`,
    "",
  ];
  return lines.join("\n");
}

/** The deepest commands come first: a pattern of one takes whatever arguments follow. */
function commandCases(path: readonly string[], command: Command): string[] {
  return [command.name, ...command.aliases].flatMap((name) => [
    ...command.commands.flatMap((inner) => commandCases([...path, name], inner)),
    caseText([...path, name], command.commands, { ...GLOBAL_FLAGS, ...command.flags }),
  ]);
}

function caseText(path: readonly string[], commands: readonly Command[], flags: FlagTable): string {
  const words = commands.map(({ name }) => name).join(" ");
  const all = Object.entries(flags).flatMap(([name, { short }]) => [
    `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);
  const before = path.map((word) => ` ${word}`).join("");
  const pattern = path.length === 0 ? '""' : commands.length > 0 ? `"${before}"` : `"${before}"|"${before} "*`;
  return `${pattern}) words="${words}" flags="${all.join(" ")}" ;;`;
}

/** All flags, long and short, whose value is the next word. */
function flagsWithValue(program: Program): string[] {
  const tables: FlagTable[] = [GLOBAL_FLAGS];
  const gather = (commands: readonly Command[]): void => {
    for (const command of commands) {
      tables.push(command.flags);
      gather(command.commands);
    }
  };
  gather(program.commands);
  const found = tables.flatMap((table) =>
    Object.entries(table).filter(([, { placeholder }]) => placeholder !== undefined).flatMap(([name, { short }]) => [
      `--${name}`,
      ...(short === undefined ? [] : [`-${short}`]),
    ])
  );
  return [...new Set(found)];
}
