/** monosctl: commands, their flags and help, the talosconfig. */
export {
  type Arguments,
  type Command,
  type CommandContext,
  defineCommand,
  defineGroup,
  GLOBAL_FLAGS,
  type Globals,
  type Program,
  type Writer,
} from "./command.ts";
export { EXIT, parseCommandLine, runCommandLine } from "./command_line.ts";
export { configCommands } from "./config_commands.ts";
export { type Flag, flag, type Flags, type FlagTable, UsageError } from "./flags.ts";
export { helpText, programHelp } from "./help.ts";
export { MONOSCTL, runMonosctl } from "./monosctl.ts";
export { streamWriter, systemContext } from "./system_context.ts";
export { formatTable } from "./table.ts";
export {
  type Connection,
  type Credentials,
  credentialsOf,
  loadConnection,
  loadTalosconfig,
  mergeTalosconfig,
  readTalosconfig,
  type Talosconfig,
  type TalosconfigContext,
  TalosconfigError,
  type TalosconfigFile,
} from "./talosconfig.ts";
export { writeTalosconfig } from "./write_talosconfig.ts";
