/** Something that has readers to serve when the turn ends. */
interface Flushable {
  flush(): void;
}

/** The turn of the event loop in which writers and readers run now. */
export class WakeTurn {
  #number = 0;
  #isEnding = false;
  #waiting: Flushable[] = [];

  /** Another number in each turn in which it is asked for. */
  get number(): number {
    if (!this.#isEnding) {
      this.#isEnding = true;
      setImmediate(() => this.#end());
    }
    return this.#number;
  }

  /** Flushes at the end of the turn. */
  onEnd(target: Flushable): void {
    this.#waiting.push(target);
  }

  #end(): void {
    this.#isEnding = false;
    this.#number++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const target of waiting) target.flush();
  }
}
