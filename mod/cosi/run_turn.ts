/** How long controllers may run one after the other before timers and descriptors get their turn. */
const MAX_TURN_MS = 5;

/**
 * The turn of the event loop in which controllers run now. They wake each other without timers, so two that keep
 * changing each other's inputs would hold the loop for ever; with this they only keep it busy.
 */
export class RunTurn {
  #startedAt = 0;
  #isOpen = false;

  /** Resolves when a run may start: at once, or in the next turn when this one has lasted long. */
  async enter(): Promise<void> {
    while (this.#isLong()) await new Promise((resolve) => setImmediate(resolve));
  }

  #isLong(): boolean {
    const now = performance.now();
    if (this.#isOpen) return now - this.#startedAt > MAX_TURN_MS;
    this.#isOpen = true;
    this.#startedAt = now;
    setImmediate(() => this.#isOpen = false);
    return false;
  }
}
