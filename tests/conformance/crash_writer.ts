/**
 * Writes to a store until it is killed, and says of each write that was answered what it was.
 * Usage: crash_writer.ts STORE LANES. Prints `ready`, then `LANE VALUE` for each transaction.
 */
import { openSqliteState } from "../../mod/cosi/mod.ts";
import { at, thing, Things } from "./state_fixture.ts";

const [path = "", lanes = "1"] = Deno.args;
const state = await openSqliteState({
  path,
  definitions: [Things],
  onDamage(message) {
    throw new Error(message);
  },
});
const encoder = new TextEncoder();
Deno.stdout.writeSync(encoder.encode("ready\n"));

/** Each transaction changes two objects alike, makes one, and destroys an older one. */
async function write(lane: number): Promise<void> {
  const pair = [`${lane}-left`, `${lane}-right`];
  const first = await state.get(at(pair[0] ?? "")).catch(() => undefined);
  let value = first === undefined ? 0 : (first.spec as { value: number }).value;
  while (true) {
    value++;
    await state.transact((tx) => {
      for (const id of pair) tx.modify(at(id), (old) => ({ ...old ?? thing(id), spec: { value } }));
      tx.create(thing(`${lane}-made-${value}`, value));
      if (value > 20) tx.destroy(at(`${lane}-made-${value - 20}`));
    });
    Deno.stdout.writeSync(encoder.encode(`${lane} ${value}\n`));
  }
}

await Promise.all(Array.from({ length: Number(lanes) }, (_, lane) => write(lane)));
