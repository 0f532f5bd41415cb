/** A command of the client that goes on until Ctrl-C. */
export class Followed implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #output: AsyncIterator<string>;
  readonly #errors: Promise<string>;
  #text = "";

  constructor(path: string, args: readonly string[]) {
    this.#child = new Deno.Command(path, { args: [...args], stdin: "null", stdout: "piped", stderr: "piped" }).spawn();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    this.#errors = new Response(this.#child.stderr).text();
  }

  /** Reads on until it has printed this; all that it has printed. @throws {Error} when it ends without, or goes on */
  async until(words: RegExp, withinMs = 60_000): Promise<string> {
    const late = setTimeout(() => this.#child.kill("SIGKILL"), withinMs);
    try {
      while (!words.test(this.#text)) {
        const { value, done } = await this.#output.next();
        if (done) throw new Error(`Cannot find ${words} in ${this.#text}${await this.#errors}`);
        this.#text += value;
      }
      return this.#text;
    } finally {
      clearTimeout(late);
    }
  }

  /** Ctrl-C; the exit code. */
  async interrupt(): Promise<number> {
    this.#child.kill("SIGINT");
    while (!(await this.#output.next()).done); // it may be writing
    await this.#errors;
    return (await this.#child.status).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it has ended
    }
    while (!(await this.#output.next()).done);
    await Promise.all([this.#errors, this.#child.status]);
  }
}
