import { connect } from "node:net";
import { TaskError } from "./task.ts";

/** One try at a connection. Where nobody answers at all, the kernel would ask again after a second only. */
const TRY_MS = 10;

/**
 * Waits until a TCP port takes a connection.
 * @throws {TaskError} when it does not within `timeoutMs`
 */
export async function waitForPort(host: string, port: number, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!await takesConnection(host, port)) {
    if (performance.now() > deadline) throw new TaskError(`Cannot reach ${host}:${port}: nobody answers`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function takesConnection(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (answer: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => settle(false), TRY_MS);
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false)); // refused: not up yet
  });
}
