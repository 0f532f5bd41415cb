/**
 * What Deno's HTTP/2 needs to be safe in a program that must not end.
 * @module
 */
export { guardSession } from "./session_guard.ts";
