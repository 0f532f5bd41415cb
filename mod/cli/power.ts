import { setTimeout as delay } from "node:timers/promises";
import { ApiError, MachineClient, type RebootMode, ResourceClient, ResourceCodec } from "../api/mod.ts";
import { BOOT_ID_ID, type BootID, BootIDs } from "../../resources/runtime/boot_id.ts";
import type { CommandContext } from "./command.ts";
import { elapsedText } from "./elapsed.ts";
import { sourceAndMessage } from "./events.ts";
import { openTargets, type Target } from "./targets.ts";

/** What `reboot` and `shutdown` are asked for. */
export type PowerOptions =
  & ({ readonly action: "reboot"; readonly mode: RebootMode } | {
    readonly action: "shutdown";
    readonly force: boolean;
  })
  & {
    /** Follow until the machine is back, or gone. */
    readonly wait: boolean;
    readonly timeoutMs: number;
  };

/** A machine that did not do as it said. */
export class PowerError extends Error {
  override readonly name = "PowerError";
  readonly node: string;

  constructor(node: string, doing: string, state: string) {
    super(`Cannot ${doing} ${node}: ${state}`);
    this.node = node;
  }
}

/** `reboot` and `shutdown`. */
export async function runPower(context: CommandContext, options: PowerOptions): Promise<number> {
  using targets = await openTargets(context);
  const doing = options.action === "reboot" ? "reboot" : "shut down";
  const { exitCode } = await targets.each(context, doing, async (target) => {
    const { node } = target;
    const started = Date.now();
    if (!options.wait) {
      const actorId = await ask(target, options);
      return void context.stdout.write(`${node}: it does so now; the events of it have actor ${actorId}\n`);
    }
    const before = await probe(target);
    const tell = (text: string) => context.stderr.write(`${node}: ${text}\n`);
    await untilDone(target, options, { before, doing, tell });
    const outcome = options.action === "reboot" ? "back" : "gone";
    context.stdout.write(`${node}: ${outcome} after ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  });
  return exitCode;
}

/** Answers with the actor id; empty when the machine was gone before it could answer. */
async function ask({ client, options: call }: Target, options: PowerOptions): Promise<string> {
  const machine = new MachineClient(client);
  try {
    const [answer] = options.action === "reboot"
      ? await machine.reboot(options.mode, call)
      : await machine.shutdown(options, call);
    return answer?.value ?? "";
  } catch (error) {
    const isCutOff = error instanceof ApiError && error.code === "UNAVAILABLE" && !isUnreachable(error);
    if (isCutOff && options.wait) return "";
    throw error;
  }
}

/** Whether a call never left. */
function isUnreachable({ message }: ApiError): boolean {
  return message.startsWith("Cannot ");
}

/** While the events of the sequence flow, the machine is up for sure; a look now and then finds one that was cut off. */
const LOOK_MS = 5000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

interface Sequence {
  readonly before: Sight;
  readonly doing: string;
  tell(text: string): void;
}

/** Listens before it asks: the machine may be gone as soon as it has answered. */
async function untilDone(target: Target, options: PowerOptions, sequence: Sequence): Promise<void> {
  const { before, doing } = sequence;
  const deadline = Date.now() + options.timeoutMs;
  const ended = new AbortController();
  const { promise: actorId, resolve: answered } = Promise.withResolvers<string>();
  const progress = followSequence(target, sequence, actorId, ended.signal).finally(() => ended.abort());
  progress.catch(() => {}); // awaited below; until then a failure is not yet anybody's
  let wasGone = false;
  try {
    answered(await ask(target, options));
    for (let pauseMs = FIRST_PAUSE_MS; Date.now() < deadline; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      if (ended.signal.aborted) await progress.then(() => delay(pauseMs));
      else await delay(LOOK_MS, undefined, { signal: ended.signal }).catch(() => {}); // cut short by the end
      const sight = await probe(target);
      if (sight === "gone" && options.action === "shutdown") return;
      if (sight === "gone") wasGone = true;
      else if (options.action === "reboot" && isOtherBoot(before, sight, wasGone)) return;
    }
  } finally {
    ended.abort();
    answered("");
  }
  const missed = options.action === "reboot" ? "come back" : "go down";
  throw new PowerError(target.node, doing, `it did not ${missed} within ${elapsedText(options.timeoutMs)}`);
}

/** A machine as it is seen from here: the id of its boot, empty when it tells none. */
type Sight = "gone" | { readonly bootId: string };

function isOtherBoot(before: Sight, now: { readonly bootId: string }, wasGone: boolean): boolean {
  const known = before === "gone" ? "" : before.bootId;
  return known === "" || now.bootId === "" ? wasGone : known !== now.bootId;
}

const PROBE_MS = 3000;

/** Looks whether the machine answers, over a new connection. */
async function probe({ open, options }: Target): Promise<Sight> {
  using client = open();
  const { namespace, type } = BootIDs;
  const reader = new ResourceClient(client, new ResourceCodec((name) => name === type ? BootIDs : undefined));
  try {
    const { spec } = await reader.get({ namespace, type, id: BOOT_ID_ID }, { ...options, timeoutMs: PROBE_MS });
    return { bootId: (spec as BootID).bootID }; // the codec's definition has it
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === "UNAVAILABLE" || error.code === "DEADLINE_EXCEEDED" ? "gone" : { bootId: "" };
  }
}

/** Tells what the machine does for this actor, until it stops telling. @throws {PowerError} it gives up. */
async function followSequence(
  { node, client, options }: Target,
  { doing, tell }: Sequence,
  actorId: Promise<string>,
  signal: AbortSignal,
): Promise<void> {
  const machine = new MachineClient(client);
  try {
    for await (const { value } of machine.events({}, { ...options, signal })) {
      const { payload } = value;
      if (payload === undefined || value.actorId !== await actorId) continue;
      tell(`${payload.kind} ${sourceAndMessage(payload).join(" ")}`);
      if (payload.kind === "sequence" && payload.error !== undefined) {
        throw new PowerError(node, doing, payload.error.message);
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // that the machine hangs up is what is waited for
  }
}
