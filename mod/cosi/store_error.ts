/** Why a store on disk could not do its work. */
export type StoreProblem = "full" | "io" | "locked" | "readOnly" | "key" | "version" | "closed";

/** A store on disk failed; what it had answered before stays stored. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  constructor(verb: "open" | "write", readonly path: string, readonly problem: StoreProblem, options?: ErrorOptions) {
    super(`Cannot ${verb} store "${path}": ${TEXTS[problem]}`, options);
  }
}

const TEXTS: Readonly<Record<StoreProblem, string>> = {
  full: "the disk is full",
  io: "the disk cannot be read or written",
  locked: "another process has it open",
  readOnly: "it may only be read",
  key: "it is encrypted with another key, or one has a key and the other has none",
  version: "a newer version of this program made it",
  closed: "it is closed",
};

/** What is stored is not what was written. */
export class DamageError extends Error {
  override readonly name = "DamageError";
}

/** SQLite tells what went wrong in words only. */
const WORDS: readonly (readonly [words: string, problem: StoreProblem])[] = [
  ["database or disk is full", "full"],
  ["database is locked", "locked"],
  ["readonly database", "readOnly"],
  ["unable to open database file", "io"],
  ["disk I/O error", "io"],
];

/** The problem that an error of SQLite stands for; undefined when it means that the file is damaged. */
export function storeProblem(error: unknown): StoreProblem | undefined {
  const text = error instanceof Error ? error.message : String(error);
  return WORDS.find(([words]) => text.includes(words))?.[1];
}
