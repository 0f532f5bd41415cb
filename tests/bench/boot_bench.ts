import { buildMachineParts, configPart } from "../../image/machine_parts.ts";
import { prepareNodeFiles } from "../../image/node_files.ts";
import { dist, exists } from "../../image/paths.ts";
import { ensurePackages } from "../../image/tasks/apt.ts";
import { freePort, startVm, stopVm, VM_KERNEL_ARGUMENTS, VM_NETWORK, waitForTls } from "../../image/vm.ts";
import { type Bench, median } from "./figure.ts";

const NAME = "bench-vm";
const RUNS = 3;
const TIMEOUT_MS = 120_000;

/** A machine in QEMU without hardware acceleration, one processor. */
export const bench: Bench = {
  name: "boot",
  async *run() {
    await ensurePackages(["qemu-system-x86"]);
    await buildMachineParts();
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push(await bootOnce());
    yield {
      name: "kernel hand-over to API answering, QEMU without KVM",
      value: median(times) / 1000,
      unit: "s",
      budget: { value: 3, is: "most" },
    };
  },
};

/** Milliseconds from the kernel's last word to the first TLS answer. */
async function bootOnce(): Promise<number> {
  const apiPort = freePort(50100);
  const endpoints = [`127.0.0.1:${apiPort}`];
  const { config } = await prepareNodeFiles({ name: NAME, address: VM_NETWORK.address, endpoints });
  const initramfs = dist("nodes", NAME, "initramfs.img");
  await Deno.copyFile(dist("initramfs.img"), initramfs);
  await Deno.writeFile(initramfs, configPart(new TextEncoder().encode(config)), { append: true });
  const append = `${VM_KERNEL_ARGUMENTS} loglevel=7`;
  await startVm({
    name: NAME,
    bootArguments: ["-kernel", dist("vmlinuz"), "-initrd", initramfs, "-append", append],
    apiPort,
    detach: true,
  });
  try {
    await untilLogged(dist("nodes", NAME, "console.log"), "as init process");
    const handedOver = performance.now();
    await waitForTls(apiPort, TIMEOUT_MS);
    return performance.now() - handedOver;
  } finally {
    await stopVm(NAME);
  }
}

/** Waits until the console has shown these words. */
async function untilLogged(log: string, words: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!await exists(log) || !(await Deno.readTextFile(log)).includes(words)) {
    if (performance.now() > deadline) throw new Error(`Cannot measure: the console never said "${words}"`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
