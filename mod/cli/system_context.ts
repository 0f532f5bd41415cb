import type { CommandContext, Writer } from "./command.ts";

/** The context of a command that a user started: this process' streams, environment, terminal and Ctrl-C. */
export function systemContext(): Omit<CommandContext, "globals"> {
  let leave: AbortSignal | undefined;
  return {
    stdout: streamWriter(Deno.stdout),
    stderr: streamWriter(Deno.stderr),
    env: (name) => Deno.env.get(name) || undefined,
    confirm: (question) => Deno.stdin.isTerminal() && confirm(question),
    interrupted: () => leave ??= abortedByCtrlC(),
  };
}

function abortedByCtrlC(): AbortSignal {
  const leave = new AbortController();
  const onSignal = () => {
    Deno.removeSignalListener("SIGINT", onSignal); // the second one ends the process
    leave.abort();
  };
  Deno.addSignalListener("SIGINT", onSignal);
  return leave.signal;
}

/** A writer over a descriptor; a write may take several calls. */
export function streamWriter(stream: { writeSync(bytes: Uint8Array): number }): Writer {
  const encoder = new TextEncoder();
  return {
    write(chunk) {
      let rest = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
      while (rest.length > 0) rest = rest.subarray(stream.writeSync(rest));
    },
  };
}
