const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const MONTH = 30 * DAY;
const YEAR = 12 * MONTH;

/** Upper bound in seconds, words, and what one of them is worth; a bound of two units is said in the singular. */
const STEPS: readonly (readonly [limit: number, unit: string, size: number])[] = [
  [MINUTE, "second", SECOND],
  [HOUR, "minute", MINUTE],
  [DAY, "hour", HOUR],
  [WEEK, "day", DAY],
  [MONTH, "week", WEEK],
  [YEAR, "month", MONTH],
  [Infinity, "year", YEAR],
];

/** How far `at` is from `now` in one rough number, rounded down: `11 months from now`, `2 hours ago`, `now`. */
export function relativeTime(at: Date, now: Date): string {
  const seconds = Math.floor(Math.abs(at.getTime() - now.getTime()) / 1000);
  const step = STEPS.find(([limit]) => seconds < limit);
  if (seconds === 0 || step === undefined) return "now";
  const [, unit, size] = step;
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"} ${at > now ? "from now" : "ago"}`;
}
