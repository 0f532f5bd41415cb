import { openNamespace, setNamespace } from "../../kernel/namespace.ts";

/** What `open` opens or reads belongs to the network namespace of that process; it must be done when it returns. */
export function inNetnsOf<T>(pid: number, open: () => T): T {
  using home = openNamespace("net");
  using there = openNamespace("net", pid);
  setNamespace(there.number, "net");
  try {
    return open();
  } finally {
    setNamespace(home.number, "net");
  }
}
