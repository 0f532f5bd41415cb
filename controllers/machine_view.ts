import {
  type AnyDefinition,
  type Resource,
  type SpecOf,
  type SyncState,
  type Watch,
  watchFor,
} from "../mod/cosi/mod.ts";
import { canonicalAddress, isAddress, isLoopback, parsePrefix } from "../mod/netip/mod.ts";
import { type Condition, Notifier, SkipService } from "../mod/supervisor/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, MachineConfigs } from "../resources/config/machine_config.ts";
import { MACHINE_TYPE_ID, MachineTypes } from "../resources/config/machine_type.ts";
import { fullyQualifiedName, HOSTNAME_STATUS_ID, HostnameStatuses } from "../resources/network/hostname_status.ts";
import { CURRENT_NODE_ADDRESS_ID, NodeAddresses } from "../resources/network/node_address.ts";
import { API_CERTIFICATE_ID, ApiCertificates } from "../resources/secrets/api_certificate.ts";

/** What the API server takes out of the state, in its own terms. */
interface Certificates {
  readonly crtPem: string;
  readonly keyPem: string;
  readonly acceptedCaPems: readonly string[];
}

/** What services and the API want to know of the machine, answered from its resources. */
export class MachineView implements Disposable {
  readonly #state: SyncState;
  readonly #changes: Notifier;
  readonly #watch: Watch;
  #certificates: { readonly of: Resource; readonly value: Certificates | undefined } | undefined;

  private constructor(state: SyncState, changes: Notifier, watch: Watch) {
    this.#state = state;
    this.#changes = changes;
    this.#watch = watch;
  }

  static async open(state: SyncState): Promise<MachineView> {
    const changes = new Notifier();
    const { namespace, type } = ApiCertificates;
    const watch: Watch = await state.watchKind({ namespace, type }, {
      coalesce: true,
      wake() {
        watch.take(); // only that there was a change counts: what is read is the state
        changes.notify();
      },
    });
    return new MachineView(state, changes, watch);
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }

  /** The node's name; that of the kernel before it has one. */
  hostname(): string {
    return this.#find(HostnameStatuses, HOSTNAME_STATUS_ID)?.spec.hostname ?? Deno.hostname();
  }

  /** Text of the config that the machine works by. */
  activeConfig(): string | undefined {
    return this.#find(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID)?.spec.yaml;
  }

  /** Whether a name or address, in whatever notation, is this node's own. */
  isLocal(name: string): boolean {
    if (!isAddress(name)) return this.#names().includes(name.toLowerCase());
    const wanted = canonicalAddress(name);
    const addresses = this.#find(NodeAddresses, CURRENT_NODE_ADDRESS_ID)?.spec.addresses ?? [];
    return isLoopback(wanted) || addresses.some((prefix) => parsePrefix(prefix).address === wanted);
  }

  #names(): string[] {
    const status = this.#find(HostnameStatuses, HOSTNAME_STATUS_ID)?.spec;
    const names = ["localhost", this.hostname(), ...(status === undefined ? [] : [fullyQualifiedName(status)])];
    return names.map((name) => name.toLowerCase());
  }

  /** What the API serves with; the same object until something changes. */
  get certificates(): { current(): Certificates | undefined; readonly changes: Notifier } {
    return { current: () => this.#currentCertificates(), changes: this.#changes };
  }

  #currentCertificates(): Certificates | undefined {
    const found = this.#find(ApiCertificates, API_CERTIFICATE_ID);
    if (found === undefined) return undefined;
    if (this.#certificates?.of !== found) {
      const { server, acceptedCAs } = found.spec;
      const value = server &&
        { crtPem: server.crt, keyPem: server.key, acceptedCaPems: acceptedCAs.map(({ crt }) => crt) };
      this.#certificates = { of: found, value };
    }
    return this.#certificates.value;
  }

  /** Met once the machine is known to be a control plane node; a worker leaves the service out. */
  controlPlaneCondition(): Condition {
    const { namespace, type } = MachineTypes;
    return {
      description: "the machine config, to know whether this is a control plane node",
      wait: async (signal) => {
        const condition = ({ spec }: Resource) => (spec as SpecOf<typeof MachineTypes>).machineType !== "unknown";
        const found = await watchFor(this.#state, { namespace, type, id: MACHINE_TYPE_ID }, { condition }, signal);
        if ((found.spec as SpecOf<typeof MachineTypes>).machineType === "worker") {
          throw new SkipService("this is a worker");
        }
      },
    };
  }

  #find<D extends AnyDefinition>({ namespace, type }: D, id: string): Resource<SpecOf<D>> | undefined {
    return this.#state.findNow(namespace, type, id) as Resource<SpecOf<D>> | undefined;
  }
}
