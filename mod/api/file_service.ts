import { create } from "@bufbuild/protobuf";
import { ApiError } from "./errors.ts";
import { DataSchema } from "./gen/common/common_pb.ts";
import { type Handler, handleStream } from "./handler.ts";
import { mark } from "./machine_service.ts";
import { FILE_METHODS } from "./machine_methods.ts";

const CHUNK_BYTES = 64 * 1024;

/** The calls of `machine.MachineService` that show files of this node, which administrators may do. */
export function fileHandlers(): Handler[] {
  return [
    handleStream(FILE_METHODS.read, async ({ path }, context) => {
      for await (const bytes of readFile(path)) {
        const full = context.send(create(DataSchema, { bytes, ...mark(context) }));
        if (full !== undefined) await full;
        if (context.signal.aborted) return;
      }
    }),
  ];
}

/** @throws {ApiError} INVALID_ARGUMENT for what is no regular file, NOT_FOUND, PERMISSION_DENIED, else UNKNOWN. */
async function* readFile(path: string): AsyncGenerator<Uint8Array, void> {
  if (!path.startsWith("/")) throw new ApiError("INVALID_ARGUMENT", `Cannot read "${path}": it is no absolute path`);
  try {
    // a pipe or device is not even opened: that may wait for ever, or set something off
    if (!(await Deno.stat(path)).isFile) {
      throw new ApiError("INVALID_ARGUMENT", `Cannot read "${path}": it is no regular file`);
    }
    using file = await Deno.open(path);
    while (true) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const count = await file.read(chunk);
      if (count === null) return;
      yield chunk.subarray(0, count);
    }
  } catch (cause) {
    if (cause instanceof ApiError || !(cause instanceof Error)) throw cause;
    throw new ApiError(codeOf(cause), `Cannot read "${path}": ${cause.message}`, { cause });
  }
}

function codeOf(error: Error): "NOT_FOUND" | "PERMISSION_DENIED" | "UNKNOWN" {
  if (error instanceof Deno.errors.NotFound) return "NOT_FOUND";
  const { PermissionDenied, NotCapable } = Deno.errors;
  return error instanceof PermissionDenied || error instanceof NotCapable ? "PERMISSION_DENIED" : "UNKNOWN";
}
