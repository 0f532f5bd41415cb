import type { Reactor } from "../kernel/reactor.ts";
import { RtnlConn } from "../kernel/rtnl.ts";
import type { MachineMode } from "../mod/config/mod.ts";
import type { Controller } from "../mod/cosi/mod.ts";
import type { Diagnostic } from "../resources/runtime/diagnostic.ts";
import type { MachineStatus } from "../resources/runtime/machine_status.ts";
import { acquireController, type ConfigSource, type ConfigStore } from "./config/acquire.ts";
import { ConfigInbox } from "./config/config_inbox.ts";
import { machineTypeController } from "./config/machine_type.ts";
import { etcFileController } from "./files/etc_file.ts";
import { etcFolder } from "./files/etc_folder.ts";
import { addressConfigController } from "./network/address_config.ts";
import { addressMergeController } from "./network/address_merge.ts";
import { addressSpecController } from "./network/address_spec.ts";
import { addressStatusController } from "./network/address_status.ts";
import { networkEtcFileController } from "./network/etc_file.ts";
import { hostnameConfigController } from "./network/hostname_config.ts";
import { hostnameMergeController } from "./network/hostname_merge.ts";
import { type HostnameKernel, hostnameSpecController } from "./network/hostname_spec.ts";
import { linkConfigController } from "./network/link_config.ts";
import { loadLinkModule } from "./network/link_module.ts";
import { linkMergeController } from "./network/link_merge.ts";
import { linkSpecController } from "./network/link_spec.ts";
import { linkStatusController } from "./network/link_status.ts";
import { NetworkView } from "./network/network_view.ts";
import { nodeAddressController } from "./network/node_address.ts";
import { nodeAddressSortAlgorithmController } from "./network/node_address_sort_algorithm.ts";
import { resolverConfigController } from "./network/resolver_config.ts";
import { resolverMergeController } from "./network/resolver_merge.ts";
import { resolverSpecController } from "./network/resolver_spec.ts";
import { routeConfigController } from "./network/route_config.ts";
import { routeMergeController } from "./network/route_merge.ts";
import { routeSpecController } from "./network/route_spec.ts";
import { routeStatusController } from "./network/route_status.ts";
import { staticHostController } from "./network/static_host.ts";
import { networkStatusController } from "./network/status.ts";
import {
  bootIdController,
  diagnosticsController,
  kernelCmdlineController,
  versionController,
} from "./runtime/facts.ts";
import { kernelParamConfigController } from "./runtime/kernel_param_config.ts";
import { kernelParamDefaultsController } from "./runtime/kernel_param_defaults.ts";
import { kernelParamSpecController } from "./runtime/kernel_param_spec.ts";
import { machineStatusController, type StageSource } from "./runtime/machine_status.ts";
import { kernelSysctls } from "./runtime/sysctl.ts";
import { apiController } from "./secrets/api.ts";
import { apiCertSansController } from "./secrets/api_cert_sans.ts";
import { rootOsController } from "./secrets/root_os.ts";
import { serviceController, type ServiceSource } from "./v1alpha1/service.ts";

/** What the machine gives to its controllers. */
export interface Machine {
  /** `machine` owns the kernel; in a `container` it is shared with a host. */
  readonly kind: "machine" | "container";
  readonly configMode: MachineMode;
  readonly reactor: Reactor;
  /** The kernel's command line, or what stands for it in a container. */
  readonly cmdline: string;
  /** A text that this machine keeps and no other has. */
  readonly machineId: string;
  readonly bootId: string;
  readonly configStore: ConfigStore;
  /** Where else a config may be, in the order in which they are looked at. */
  readonly configSources: readonly ConfigSource[];
  /** Folder that files of /etc are written to. */
  readonly etcFolder: string;
  readonly hostname: HostnameKernel;
  readonly services: ServiceSource;
  readonly stages: StageSource;
  readonly diagnostics: Readonly<Record<string, Diagnostic>>;
  onConfigError(source: string, cause: unknown): void;
  onMachineStatus(status: MachineStatus): void;
}

/** The controllers of a machine, and where the API leaves its configs. */
export interface Controllers {
  readonly controllers: readonly Controller[];
  readonly inbox: ConfigInbox;
}

/** All controllers, in the order in which a change usually passes through them. */
export function allControllers(machine: Machine): Controllers {
  const inbox = new ConfigInbox();
  return {
    inbox,
    controllers: [...configControllers(machine, inbox), ...networkControllers(machine), ...machineControllers(machine)],
  };
}

function configControllers(machine: Machine, inbox: ConfigInbox): Controller[] {
  const { configStore: store, configSources: sources, configMode: mode, onConfigError } = machine;
  return [
    acquireController({ store, sources, inbox, mode, onLoadError: onConfigError }),
    machineTypeController(),
    rootOsController(),
    apiCertSansController(),
    apiController(),
  ];
}

function networkControllers({ kind, reactor, cmdline, machineId, hostname, etcFolder: etc }: Machine): Controller[] {
  const conn = new RtnlConn();
  const view = new NetworkView(reactor, conn);
  return [
    linkConfigController(cmdline),
    addressConfigController(cmdline),
    routeConfigController(cmdline),
    hostnameConfigController({ cmdline, machineId }),
    resolverConfigController(cmdline),
    linkMergeController(),
    addressMergeController(),
    routeMergeController(),
    hostnameMergeController(),
    resolverMergeController(),
    linkSpecController(conn, view, kind === "machine" ? loadLinkModule : undefined),
    addressSpecController(conn, view),
    routeSpecController(conn, view),
    hostnameSpecController(hostname),
    resolverSpecController(),
    linkStatusController(view),
    addressStatusController(view),
    routeStatusController(view),
    nodeAddressSortAlgorithmController(),
    nodeAddressController(),
    staticHostController(),
    networkEtcFileController(),
    etcFileController(etcFolder(etc)),
    networkStatusController(),
  ];
}

function machineControllers(machine: Machine): Controller[] {
  return [
    versionController(),
    kernelCmdlineController(machine.cmdline),
    bootIdController(machine.bootId),
    diagnosticsController(machine.diagnostics),
    kernelParamDefaultsController(machine.kind),
    kernelParamConfigController(),
    kernelParamSpecController(kernelSysctls),
    serviceController(machine.services),
    machineStatusController(machine.stages, machine.onMachineStatus),
  ];
}
