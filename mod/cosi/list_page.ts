import type { Kind } from "./metadata.ts";
import type { Query } from "./query.ts";
import type { Resource } from "./resource.ts";
import type { State } from "./state.ts";
import { compareText } from "./text_order.ts";

/** Which part of a list is wanted. */
export interface PageOptions extends Query {
  /** Most objects in the answer, at least 1. */
  readonly limit: number;
  /** Of the page before; absent for the first one. */
  readonly continueToken?: string;
}

/** A part of a list. */
export interface Page {
  readonly resources: readonly Resource[];
  /** For the next page; undefined when this is the last one. */
  readonly continueToken: string | undefined;
}

/** A state that finds the pages of a list itself, so that it need not bring the whole list here. */
export interface PagedState extends State {
  listPage(kind: Kind, options: PageOptions): Promise<Page>;
}

function isPaged(state: State): state is PagedState {
  return "listPage" in state;
}

/**
 * The next objects of a kind in the order of their ids (clause 9.16). Each page is what is there when it is read: an
 * object that exists all the while is in exactly one of them.
 * @throws {RangeError} for a limit below 1. {@link SyntaxError} for a token that is none.
 */
export async function listPage(state: State, kind: Kind, options: PageOptions): Promise<Page> {
  const { limit, continueToken, ...query } = options;
  if (isPaged(state)) return await state.listPage(kind, options);
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`Cannot list: a page of ${limit} objects`);
  const all = await state.list(kind, query);
  const last = continueToken === undefined ? undefined : readToken(continueToken);
  const from = last === undefined ? 0 : placeAfter(all, last);
  const resources = all.slice(from, from + limit);
  const end = resources.at(-1)?.metadata.id;
  const isLast = end === undefined || from + limit >= all.length;
  return { resources, continueToken: isLast ? undefined : makeToken(end) };
}

/** Index of the first object behind an id, which itself need not be there any more. */
function placeAfter(all: readonly Resource[], id: string): number {
  let low = 0, high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareText(all[middle]?.metadata.id ?? "", id) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last id behind a mark, so that a token is never empty and nobody takes it for an id. */
function makeToken(id: string): string {
  return new TextEncoder().encode(`1${id}`).toBase64({ alphabet: "base64url", omitPadding: true });
}

function readToken(token: string): string {
  try {
    const bytes = Uint8Array.fromBase64(token, { alphabet: "base64url" });
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.startsWith("1")) return text.slice(1);
  } catch {
    // told below
  }
  throw new SyntaxError(`Cannot list: "${token}" is no continue token`);
}
