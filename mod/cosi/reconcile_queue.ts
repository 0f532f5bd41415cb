/** One thing to work on; the newest value of several puts. */
export interface QueueItem<T> {
  readonly key: string;
  readonly value: T;
}

interface Entry<T> extends QueueItem<T> {
  value: T;
  state: "ready" | "delayed" | "running";
  /** When it is due, as of `performance.now()`; only while `delayed`. */
  dueAt: number;
  /** Put again while it was being worked on. */
  isHeld: boolean;
}

/** A delayed entry as the heap holds it; stale once the entry is due at another time. */
interface Due<T> {
  readonly at: number;
  readonly order: number;
  readonly entry: Entry<T>;
}

/**
 * Keys to work on: each once in the queue and once at work at most. A put moves a delayed entry to now, one while the
 * key is at work is held back until it is released, and a delay never postpones what is due earlier (3.11-3.13).
 */
export class ReconcileQueue<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #onReady: () => void;
  #ready: Entry<T>[] = [];
  #head = 0;
  #running = 0;
  #held = 0;
  readonly #delayed: Due<T>[] = [];
  #order = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Infinity;

  /** `onReady` is called when something can be taken that could not be before. */
  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  /** How many keys wait, held back ones and delayed ones included. */
  get length(): number {
    return this.#entries.size - this.#running + this.#held;
  }

  /** How many keys are worked on. */
  get running(): number {
    return this.#running;
  }

  put(key: string, value: T): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      const added: Entry<T> = { key, value, state: "ready", dueAt: 0, isHeld: false };
      this.#entries.set(key, added);
      this.#makeReady(added);
      return;
    }
    entry.value = value;
    if (entry.state === "delayed") this.#makeReady(entry);
    else if (entry.state === "running" && !entry.isHeld) {
      entry.isHeld = true;
      this.#held++;
    }
  }

  #makeReady(entry: Entry<T>): void {
    entry.state = "ready";
    this.#ready.push(entry);
    this.#onReady();
  }

  /** The next key to work on; it has to be released. */
  take(): QueueItem<T> | undefined {
    const entry = this.#ready[this.#head];
    if (entry === undefined) return undefined;
    this.#head++;
    if (this.#head === this.#ready.length) {
      this.#ready = [];
      this.#head = 0;
    } else if (this.#head > 1024 && this.#head * 2 > this.#ready.length) {
      this.#ready = this.#ready.slice(this.#head);
      this.#head = 0;
    }
    entry.state = "running";
    this.#running++;
    return { key: entry.key, value: entry.value };
  }

  /** Ends the work on a key; it runs again after `delayMs` if given, or at once when it was put meanwhile. */
  release(key: string, delayMs?: number): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== "running") return;
    this.#running--;
    if (entry.isHeld) {
      entry.isHeld = false;
      this.#held--;
      this.#makeReady(entry);
    } else if (delayMs === undefined) this.#entries.delete(key);
    else {
      entry.state = "delayed";
      entry.dueAt = performance.now() + delayMs;
      pushDue(this.#delayed, { at: entry.dueAt, order: this.#order++, entry });
      this.#arm();
    }
  }

  #arm(): void {
    const at = this.#delayed[0]?.at ?? Infinity;
    if (at === this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    if (at === Infinity) return;
    this.#timer = setTimeout(() => this.#ring(), Math.min(Math.max(at - performance.now(), 0), MAX_TIMER_MS));
  }

  #ring(): void {
    this.#timerAt = Infinity;
    const now = performance.now();
    while (true) {
      const due = this.#delayed[0];
      if (due === undefined || due.at > now) break;
      popDue(this.#delayed);
      const { entry, at } = due;
      if (entry.state === "delayed" && entry.dueAt === at && this.#entries.get(entry.key) === entry) {
        this.#makeReady(entry);
      }
    }
    this.#arm();
  }

  /** Forgets everything that waits. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timerAt = Infinity;
    this.#entries.clear();
    this.#running = this.#held = 0;
    this.#delayed.length = 0;
    this.#ready = [];
    this.#head = 0;
  }
}

/** The longest delay that `setTimeout` takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function isBefore<T>(a: Due<T>, b: Due<T>): boolean {
  return a.at < b.at || a.at === b.at && a.order < b.order;
}

function pushDue<T>(heap: Due<T>[], due: Due<T>): void {
  let at = heap.push(due) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as Due<T>;
    if (!isBefore(due, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = due;
}

function popDue<T>(heap: Due<T>[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  while (true) {
    let child = at * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Due<T>, heap[child] as Due<T>)) child++;
    if (!isBefore(heap[child] as Due<T>, last)) break;
    heap[at] = heap[child] as Due<T>;
    at = child;
  }
  heap[at] = last;
}
