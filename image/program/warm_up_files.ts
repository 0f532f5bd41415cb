/** Where the warm-up of a build has its files, by their paths in the node. */
export const WARM_UP = {
  config: "/usr/local/etc/talos/config.yaml",
  talosconfig: "/var/talosconfig",
  /** What it leaves. */
  cache: "/var/program.cache",
} as const;
