import { openSqliteState, type SqliteState, type SqliteStateOptions } from "../../mod/cosi/mod.ts";
import { Things } from "./state_fixture.ts";

/** A folder for one store, gone at the end. */
export class StoreFolder implements AsyncDisposable {
  readonly path: string;
  readonly #folder: string;
  /** What was said of damage so far. */
  readonly damages: string[] = [];

  constructor(parent?: string) {
    this.#folder = Deno.makeTempDirSync(parent === undefined ? {} : { dir: parent });
    this.path = `${this.#folder}/state.db`;
  }

  /** The store of this folder, which knows `Things`. */
  open(options: Partial<SqliteStateOptions> = {}): Promise<SqliteState> {
    return openSqliteState({
      path: this.path,
      definitions: [Things],
      onDamage: (message) => this.damages.push(message),
      ...options,
    });
  }

  /** Names of the files in it. */
  names(): string[] {
    return Array.from(Deno.readDirSync(this.#folder), ({ name }) => name).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#folder, { recursive: true });
  }
}
