import { MachineClient, type ServiceAction, type ServiceView } from "../api/mod.ts";
import type { CommandContext } from "./command.ts";
import { elapsedText } from "./elapsed.ts";
import { UsageError } from "./flags.ts";
import { formatTable } from "./table.ts";
import { openTargets } from "./targets.ts";

/** `services`: the services of all nodes in a table, or all about one. */
export async function showServices(context: CommandContext, id: string | undefined): Promise<number> {
  using targets = await openTargets(context);
  const { answers, exitCode } = await targets.each(context, "list the services of", async ({ client, options }) => {
    const found = (await new MachineClient(client).services(options)).flatMap(({ value }) => value);
    if (id === undefined || found.some((service) => service.id === id)) return found;
    throw new UsageError(`Cannot show service "${id}": there is none of that name`, {
      name: id,
      candidates: found.map((service) => service.id),
    });
  });
  const now = Date.now();
  if (answers.length === 0) return exitCode;
  if (id === undefined) {
    const rows = answers.flatMap(({ node, value }) => value.map((service) => serviceRow(node, service, now)));
    context.stdout.write(formatTable([["NODE", "SERVICE", "STATE", "HEALTH", "LAST CHANGE", "LAST EVENT"], ...rows]));
    return exitCode;
  }
  const texts = answers.flatMap(({ node, value }) =>
    value.filter((service) => service.id === id).map((service) => serviceText(node, service, now))
  );
  context.stdout.write(texts.join("\n"));
  return exitCode;
}

/** `services ID start|stop|restart`. */
export async function runServiceAction(context: CommandContext, id: string, action: ServiceAction): Promise<number> {
  using targets = await openTargets(context);
  const { answers, exitCode } = await targets.each(context, `${action} "${id}" on`, async ({ client, options }) => {
    return await new MachineClient(client).serviceAction(action, id, options);
  });
  for (const { node, value } of answers) {
    for (const reply of value) context.stdout.write(`${node}: ${reply.value}\n`);
  }
  return exitCode;
}

/** A line of the table. Nodes sort services themselves. */
export function serviceRow(node: string, service: ServiceView, nowMs: number): string[] {
  const last = service.history.at(-1);
  const since = last === undefined ? "" : `${elapsedText(nowMs - last.timeMs)} ago`;
  return [node, service.id, service.state, healthWord(service), since, last?.message ?? ""];
}

/** All about one service; its history begins with what happened last. */
export function serviceText(node: string, service: ServiceView, nowMs: number): string {
  const history = service.history.toReversed().map(({ state, message, timeMs }) =>
    `[${state}]: ${message} (${elapsedText(nowMs - timeMs)} ago)`
  );
  const { lastMessage } = service.health;
  return formatTable([
    ["NODE", node],
    ["ID", service.id],
    ["STATE", service.state],
    ["HEALTH", healthWord(service)],
    ...(lastMessage === "" ? [] : [["LAST HEALTH MESSAGE", lastMessage]]),
    ...history.map((line, at) => [at === 0 ? "EVENTS" : "", line]),
  ]);
}

function healthWord({ health: { unknown, healthy } }: ServiceView): string {
  return unknown ? "?" : healthy ? "OK" : "Fail";
}
