import { strictEqual } from "node:assert/strict";
import { completionScript } from "./completion.ts";
import { MONOSCTL } from "./monosctl.ts";

const rows: readonly [line: string, words: string][] = [
  ["ser", "services"],
  ["", "get explain services logs events version inspect apply-config reboot shutdown config completion"],
  ["-n 10.5.0.2 --context demo re", "reboot"],
  ["config con", "contexts context"],
  ["config --cont", "--context"],
  ["config contexts --tal", "--talosconfig"],
  ["get --w", "--watch"],
  ["get links eth0 --names", "--namespace"],
  ["service etcd st", ""],
  ["logs -f --ta", "--talosconfig --tail"],
  ["--no", "--nodes"],
];
for (const [line, words] of rows) {
  Deno.test(`completionScript() completes "${line}"`, async () => {
    const script = [
      completionScript(MONOSCTL, "bash"),
      'COMP_WORDS=(monosctl "$@"); COMP_CWORD=$#; _monosctl; echo "${COMPREPLY[@]}"',
    ].join("\n");
    const { stdout } = await new Deno.Command("bash", { args: ["-c", script, "bash", ...line.split(" ")] }).output();
    strictEqual(
      new TextDecoder().decode(stdout).trim().split(" ").toSorted().join(" "),
      words.split(" ").toSorted().join(" "),
    );
  });
}
