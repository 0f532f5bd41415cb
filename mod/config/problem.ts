/** One thing wrong with a machine config. Lines, columns and documents count from 1. */
export interface Problem {
  readonly document: number;
  readonly line: number;
  readonly column: number;
  /** The place as `machine.network.interfaces[0].mtu`, below the document's kind and name; empty for the document. */
  readonly path: string;
  /** What is wrong there, without secrets. */
  readonly message: string;
}

/** A machine config that cannot be used; nothing of it was. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** `verb` completes "Cannot … the machine config", as in `read`. */
  constructor(verb: string, readonly problems: readonly Problem[]) {
    const what = `Cannot ${verb} the machine config`;
    const [first] = problems;
    super(
      problems.length === 1 && first !== undefined
        ? `${what}: ${formatProblem(first)}`
        : `${what}: ${problems.length} problems\n${problems.map((each) => `  ${formatProblem(each)}`).join("\n")}`,
    );
  }
}

/** `line 7, column 3: LinkConfig/eth0 mtu: expected …`, with the document's number when it is not the first. */
export function formatProblem(problem: Problem): string {
  const document = problem.document > 1 ? `document ${problem.document}, ` : "";
  const path = problem.path === "" ? "" : `${problem.path}: `;
  return `${document}line ${problem.line}, column ${problem.column}: ${path}${problem.message}`;
}
