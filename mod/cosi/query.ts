/** What a label term asks (clause 2.57). */
export type LabelOperation = "exists" | "equal" | "in" | "lt" | "lte" | "ltNumeric" | "lteNumeric";

/** One condition on one label. */
export interface LabelTerm {
  readonly key: string;
  readonly op: LabelOperation;
  /** Only the first counts, but for `in`. */
  readonly values: readonly string[];
  readonly invert: boolean;
}

/** Terms that must all hold. No terms: everything matches. */
export type LabelQuery = readonly LabelTerm[];

/** What objects a list or a kind watch is about. */
export interface Query {
  /** Any of these must hold; none: everything matches (clause 2.56). */
  readonly labels?: readonly LabelQuery[];
  /** RE2 pattern searched in the id, unanchored (clause 2.60). */
  readonly id?: string;
}
