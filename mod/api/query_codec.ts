import { create } from "@bufbuild/protobuf";
import type { LabelOperation, LabelQuery, LabelTerm, Query } from "../cosi/mod.ts";
import { ApiError } from "./errors.ts";
import {
  type IDQuery,
  IDQuerySchema,
  type LabelQuery as WireLabelQuery,
  LabelQuerySchema,
  type LabelTerm as WireTerm,
  LabelTerm_Operation,
} from "./gen/cosi/resource/resource_pb.ts";

const OPERATIONS: Readonly<Record<LabelOperation, LabelTerm_Operation>> = {
  exists: LabelTerm_Operation.EXISTS,
  equal: LabelTerm_Operation.EQUAL,
  in: LabelTerm_Operation.IN,
  lt: LabelTerm_Operation.LT,
  lte: LabelTerm_Operation.LTE,
  ltNumeric: LabelTerm_Operation.LT_NUMERIC,
  lteNumeric: LabelTerm_Operation.LTE_NUMERIC,
};

/** The query part of the options of a list or watch. */
export interface WireQuery {
  readonly labelQuery: WireLabelQuery[];
  readonly idQuery?: IDQuery | undefined;
}

/** Longest pattern that is taken: matching takes time in proportion to it, for every object. */
const MAX_PATTERN = 1024;

/**
 * A query as the state takes it.
 * @throws {ApiError} UNIMPLEMENTED for an operator that is not known, INVALID_ARGUMENT for one without its value and for
 * a pattern that is too long.
 */
export function queryFromWire({ labelQuery, idQuery }: WireQuery): Query {
  const { length } = idQuery?.regexp ?? "";
  if (length > MAX_PATTERN) {
    throw new ApiError("INVALID_ARGUMENT", `Cannot query ids: the pattern has ${length} characters, ${MAX_PATTERN} go`);
  }
  return {
    ...(labelQuery.length === 0 ? {} : { labels: labelQuery.map(({ terms }): LabelQuery => terms.map(termFromWire)) }),
    ...(idQuery === undefined || idQuery.regexp === "" ? {} : { id: idQuery.regexp }),
  };
}

function termFromWire({ key, op, value, invert }: WireTerm): LabelTerm {
  if (op === LabelTerm_Operation.NOT_EXISTS) return { key, op: "exists", values: [], invert: !invert };
  const operation = (Object.keys(OPERATIONS) as LabelOperation[]).find((name) => OPERATIONS[name] === op);
  if (operation === undefined) throw new ApiError("UNIMPLEMENTED", `Cannot query labels: operator ${op} is not known`);
  if (value.length === 0 && operation !== "exists" && operation !== "in") {
    throw new ApiError("INVALID_ARGUMENT", `Cannot query label "${key}": operator "${operation}" needs a value`);
  }
  return { key, op: operation, values: value, invert };
}

/** A query as it travels. */
export function queryToWire({ labels = [], id }: Query): WireQuery {
  return {
    labelQuery: labels.map((terms) =>
      create(LabelQuerySchema, {
        terms: terms.map(withValue).map(({ key, op, values, invert }) => (
          { key, op: OPERATIONS[op], value: [...values], invert }
        )),
      })
    ),
    ...(id === undefined ? {} : { idQuery: create(IDQuerySchema, { regexp: id }) }),
  };
}

/** The same condition without an operator that lacks its value, which servers refuse or even crash on (clause 5.16). */
function withValue(term: LabelTerm): LabelTerm {
  const { key, op, values, invert } = term;
  if (values.length > 0 || op === "exists" || op === "in") return term;
  if (op === "equal" || !invert) return { key, op: "in", values, invert };
  return { key, op: "exists", values, invert: false };
}
