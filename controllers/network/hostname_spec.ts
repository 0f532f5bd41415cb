import { MAX_NAME_BYTES } from "../../kernel/machine.ts";
import { type Controller, defineController, exclusive, strong } from "../../mod/cosi/mod.ts";
import { HOSTNAME_ID, HostnameSpecs } from "../../resources/network/hostname_spec.ts";
import { HOSTNAME_STATUS_ID, HostnameStatuses } from "../../resources/network/hostname_status.ts";

/** The kernel's idea of the node's name. */
export interface HostnameKernel {
  /** @throws {SyscallError} */
  setHostname(name: string): void;
  /** @throws {SyscallError} */
  setDomainname(name: string): void;
}

/** Tells the kernel the node's name, and others that it is set. */
export function hostnameSpecController(kernel: HostnameKernel): Controller {
  let applied = "";
  return defineController({
    name: "network.HostnameSpecController",
    inputs: [strong(HostnameSpecs, { id: HOSTNAME_ID })],
    outputs: [exclusive(HostnameStatuses)],
    async reconcile(r) {
      const wish = await r.get(HostnameSpecs, HOSTNAME_ID);
      if (wish === undefined || wish.metadata.phase !== "running") return;
      const { hostname, domainname } = wish.spec;
      const name = `${hostname}\n${domainname}`;
      if (name !== applied) {
        kernel.setHostname(hostname);
        // of the domain only the status counts: nothing but uname shows the kernel's, which has no room for long ones
        kernel.setDomainname(domainname.length > MAX_NAME_BYTES ? "" : domainname);
        applied = name;
        r.log(`the node is called "${domainname === "" ? hostname : `${hostname}.${domainname}`}"`);
      }
      await r.modify(HostnameStatuses, HOSTNAME_STATUS_ID, { hostname, domainname });
    },
  });
}
