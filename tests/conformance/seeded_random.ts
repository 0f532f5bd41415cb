/** Random numbers that a seed repeats: xorshift, 32 bits. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) % limit;
  }
}

/** The number of a variable of the environment, or another one when it is not set. @throws {RangeError} */
export function numberOf(variable: string, otherwise: number): number {
  const text = Deno.env.get(variable);
  if (text === undefined || text === "") return otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new RangeError(`Cannot test: ${variable} is "${text}"`);
  return number;
}

/** The seed of a test: `TEST_SEED`, or another one each time. It is printed, so that a failure can be repeated. */
export function testSeed(what: string): number {
  const seed = numberOf("TEST_SEED", crypto.getRandomValues(new Uint32Array(1))[0] ?? 1);
  console.log(`${what}: TEST_SEED=${seed}`);
  return seed;
}
