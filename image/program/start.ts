/**
 * Entry of the binary: starts the program in the form that is the fastest for what it is started as. PID 1 of a machine
 * or of a node's namespaces, which alone finds no /proc, runs most of the program, so it gets one script with bytecode;
 * the others are started often and use little, so they load the modules of their role alone.
 */
import { isThere, startScript } from "./start_script.ts";

const folder = import.meta.dirname ?? "";
if (Deno.pid !== 1 || isThere("/proc/self")) await import(`${folder}/parts/main.js`);
else {
  // Deno's cryptography gathers entropy at its first use, 25 ms that the first connection would wait for. Any key will
  // do, made on a thread of its own while this one loads the program.
  void crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
  await startScript(folder);
}
