/** Something that has readers to wake when the turn ends. */
interface Flushable {
  flush(): void;
}

/** The turn of the event loop in which writers run now, as far as wake-ups go. */
export class WakeTurn {
  #entered = false;
  #waiting: Flushable[] = [];

  /** Whether this is the first wake-up of the turn. */
  enter(): boolean {
    if (this.#entered) return false;
    this.#entered = true;
    setImmediate(() => this.#end());
    return true;
  }

  /** Flushes at the end of the turn. */
  onEnd(target: Flushable): void {
    this.#waiting.push(target);
  }

  #end(): void {
    this.#entered = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const target of waiting) target.flush();
  }
}
