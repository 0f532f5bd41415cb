/** Layout of SQLite's write-ahead log. @see https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const HEADER = 32;
const FRAME_HEADER = 24;
/** The lowest bit tells the byte order of the words that checksums are made of: big-endian when it is set. */
const MAGIC = 0x377f0682;

/**
 * What is wrong with a log that SQLite would read up to a damaged place and no further; undefined when nothing is, as
 * far as that can be told. A commit is on the disk before the next one starts, so one that is broken and has whole
 * ones behind it was damaged later. The last one cannot be told from one that a crash cut off.
 */
export function logDamage(log: Uint8Array): string | undefined {
  if (log.length <= HEADER) return undefined;
  const view = new DataView(log.buffer, log.byteOffset, log.length);
  const frameSize = FRAME_HEADER + view.getUint32(8);
  const little = (view.getUint32(0) & 1) === 0;
  const sums = new Sums(view, little);
  sums.add(0, HEADER - 8);
  if ((view.getUint32(0) & ~1) >>> 0 !== MAGIC || !sums.match(HEADER - 8)) return "the head of its log is damaged";
  let at = HEADER;
  for (; at + frameSize <= log.length && isOfLog(view, at); at += frameSize) {
    sums.add(at, 8);
    sums.add(at + FRAME_HEADER, frameSize - FRAME_HEADER);
    if (!sums.match(at + 16)) break;
  }
  let commits = 0;
  for (; at + frameSize <= log.length; at += frameSize) {
    if (isOfLog(view, at) && view.getUint32(at + 4) !== 0) commits++;
  }
  return commits > 1 ? `its log has ${commits} commits behind a damaged place` : undefined;
}

/** Whether a frame was written since the log was last started over: it has the same salt. */
function isOfLog(view: DataView, at: number): boolean {
  return view.getUint32(at + 8) === view.getUint32(16) && view.getUint32(at + 12) === view.getUint32(20);
}

/** The running checksum of a log. */
class Sums {
  readonly #view: DataView;
  readonly #little: boolean;
  #first = 0;
  #second = 0;

  constructor(view: DataView, little: boolean) {
    this.#view = view;
    this.#little = little;
  }

  add(from: number, length: number): void {
    let first = this.#first, second = this.#second;
    for (let at = from; at < from + length; at += 8) {
      first = first + this.#view.getUint32(at, this.#little) + second | 0;
      second = second + this.#view.getUint32(at + 4, this.#little) + first | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  /** Whether the two stored sums at a place are these. */
  match(at: number): boolean {
    return this.#view.getUint32(at) === this.#first >>> 0 && this.#view.getUint32(at + 4) === this.#second >>> 0;
  }
}
