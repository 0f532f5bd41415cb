import { type Controller, defineController, exclusive, weak } from "../../mod/cosi/mod.ts";
import { canonicalAddress, isAddress } from "../../mod/netip/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import { OS_ROOT_SECRET_ID, type OSRootSecret, OSRootSecrets } from "../../resources/secrets/os_root_secret.ts";

type Machine = NonNullable<NonNullable<ReturnType<typeof configOf>["v1alpha1"]>["machine"]>;

/** The machine API's authority, token and extra names, out of the config. */
export function rootOsController(): Controller {
  return defineController({
    name: "secrets.RootOSController",
    inputs: [weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID })],
    outputs: [exclusive(OSRootSecrets)],
    async reconcile(r) {
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const machine = config && configOf(config).v1alpha1?.machine;
      await r.sync(
        OSRootSecrets,
        machine === undefined ? [] : [{ id: OS_ROOT_SECRET_ID, spec: osRootSecret(machine) }],
      );
    },
  });
}

/** Pure: what `machine.{ca, acceptedCAs, certSANs, token}` say. */
export function osRootSecret(machine: Machine): OSRootSecret {
  const { ca, acceptedCAs = [], certSANs = [], token = "" } = machine;
  const issuing = ca?.crt ? [{ crt: ca.crt }] : [];
  return {
    ...(ca?.crt ? { issuingCA: { crt: ca.crt, key: ca.key ?? "" } } : {}),
    acceptedCAs: [...issuing, ...acceptedCAs.map(({ crt }) => ({ crt: crt ?? "" }))],
    certSANIPs: certSANs.filter(isAddress).map(canonicalAddress),
    certSANDNSNames: certSANs.filter((name) => !isAddress(name)),
    token,
  };
}
