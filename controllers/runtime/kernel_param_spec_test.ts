import { deepStrictEqual, ok } from "node:assert/strict";
import { MemoryState, newResource, Runtime } from "../../mod/cosi/mod.ts";
import { KernelParamDefaultSpecs } from "../../resources/runtime/kernel_param_default_spec.ts";
import { KernelParamSpecs } from "../../resources/runtime/kernel_param_spec.ts";
import { KernelParamStatuses } from "../../resources/runtime/kernel_param_status.ts";
import { kernelParamSpecController } from "./kernel_param_spec.ts";
import type { Sysctls } from "./sysctl.ts";

/** A kernel with two parameters, one of which takes nothing but 0 and 1. */
class FakeKernel implements Sysctls {
  readonly values = new Map([["/proc/sys/a", "0"], ["/proc/sys/b", "1\t2"]]);
  readonly writes: string[] = [];
  read(path: string): string | undefined {
    return this.values.get(path);
  }
  write(path: string, value: string): void {
    if (path === "/proc/sys/a" && value !== "0" && value !== "1") throw new Error("EINVAL");
    this.writes.push(`${path}=${value}`);
    this.values.set(path, value.replace("5,6", "5-6")); // as it shows ranges
  }
}

/** Runs the controller until nothing is left to do. */
async function converge(state: MemoryState, kernel: FakeKernel, body: () => Promise<void>): Promise<string[]> {
  const log: string[] = [];
  const runtime = new Runtime(state, { log: (_name, _level, message) => void log.push(message) });
  runtime.register(kernelParamSpecController(kernel));
  const stop = new AbortController();
  const running = runtime.run(stop.signal);
  await settle();
  await body();
  await settle();
  stop.abort();
  await running;
  return log;
}

/** The controller runs on microtasks: after a turn of the event loop it has nothing left to do. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

const wish = (id: string, value: string) => newResource(KernelParamSpecs, id, { value, ignoreErrors: false });
const standard = (id: string, value: string) => newResource(KernelParamDefaultSpecs, id, { value, ignoreErrors: true });

Deno.test("runtime.KernelParamSpecController: the config goes before the default, and what was there comes back", async () => {
  const state = new MemoryState();
  const kernel = new FakeKernel();
  await state.create(standard("proc.sys.b", "3 4"));
  await state.create(wish("proc.sys.a", "1"));
  await state.create(wish("proc.sys.b", "5 6"));
  await converge(state, kernel, async () => {
    deepStrictEqual([...kernel.values.values()], ["1", "5 6"]);
    const { namespace, type } = KernelParamSpecs;
    for (const id of ["proc.sys.a", "proc.sys.b"]) {
      await state.teardown({ namespace, type, id });
    }
  });
  deepStrictEqual([...kernel.values.values()], ["0", "3 4"]);
  deepStrictEqual(
    state.listNow(KernelParamSpecs).map(({ metadata }) => metadata.finalizers),
    [[], []],
    "the controller let go of both wishes",
  );
});

Deno.test("runtime.KernelParamSpecController writes nothing that is so already, and tells what the kernel refuses", async () => {
  const state = new MemoryState();
  const kernel = new FakeKernel();
  await state.create(standard("proc.sys.b", "1 2"));
  await state.create(standard("proc.sys.unknown", "1"));
  await state.create(wish("proc.sys.a", "7"));
  const log = await converge(state, kernel, () => Promise.resolve());
  deepStrictEqual(kernel.writes, []);
  ok(log.some((line) => line.includes('"proc.sys.a": EINVAL')), log.join("\n"));
  const unsupported = state.listNow(KernelParamStatuses).map(({ metadata: { id }, spec }) => [id, spec]);
  deepStrictEqual(unsupported.at(-1), ["proc.sys.unknown", { current: "", default: "", unsupported: true }]);
});

Deno.test("runtime.KernelParamSpecController: a parameter that cannot be put back holds up no other", async () => {
  const state = new MemoryState();
  const kernel = new FakeKernel();
  kernel.values.set("/proc/sys/a", "7"); // not a value that it takes
  await state.create(wish("proc.sys.a", "1"));
  await state.create(wish("proc.sys.b", "5 6"));
  const log = await converge(state, kernel, async () => {
    const { namespace, type } = KernelParamSpecs;
    for (const id of ["proc.sys.a", "proc.sys.b"]) await state.teardown({ namespace, type, id });
  });
  deepStrictEqual([...kernel.values.values()], ["1", "1\t2"]);
  deepStrictEqual(state.listNow(KernelParamSpecs).map(({ metadata }) => metadata.finalizers), [[], []]);
  deepStrictEqual(state.listNow(KernelParamStatuses), []);
  ok(log.some((line) => line.includes("proc.sys.a stays as it is: EINVAL")), log.join("\n"));
});

Deno.test("runtime.KernelParamSpecController writes once what the kernel shows in another form, and again when it changes", async () => {
  const state = new MemoryState();
  const kernel = new FakeKernel();
  await state.create(wish("proc.sys.b", "5,6"));
  await converge(state, kernel, async () => {
    await state.create(wish("proc.sys.a", "1"));
    await settle();
    deepStrictEqual(kernel.writes, ["/proc/sys/b=5,6", "/proc/sys/a=1"]);
    kernel.values.set("/proc/sys/b", "7");
    const { namespace, type } = KernelParamSpecs;
    await state.teardown({ namespace, type, id: "proc.sys.a" });
    await settle();
  });
  deepStrictEqual(kernel.writes, ["/proc/sys/b=5,6", "/proc/sys/a=1", "/proc/sys/b=5,6", "/proc/sys/a=0"]);
});
