import { type Controller, defineController, type Resource, shared, type Wanted, weak } from "../../mod/cosi/mod.ts";
import type { ResourceDefinition } from "../../mod/cosi/mod.ts";
import { ACTIVE_MACHINE_CONFIG_ID, configOf, MachineConfigs } from "../../resources/config/machine_config.ts";
import { type ConfigLayer, layeredId, NETWORK_CONFIG, SOURCE_ANNOTATION } from "../../resources/network/layer.ts";
import { isPhysicalLink, type LinkStatus, LinkStatuses } from "../../resources/network/link_status.ts";
import { linksOf, parseNetworkArguments, type PresentLink } from "./kernel_arguments.ts";
import { argumentLinkWishes, configLinkWishes, DEFAULT_LINK_WISHES, type LinkWish } from "./link_wish.ts";

/** A wish for one object with who has it. */
export interface SourcedSpec<S> {
  /** Id that the merged object has. */
  readonly id: string;
  readonly source: string;
  readonly spec: S;
}

/** Pure: wishes as objects of `network-config`. Two sources of one layer may want the same object: both stay. */
export function layeredWishes<S extends { readonly layer: ConfigLayer }>(
  specs: readonly SourcedSpec<S>[],
): Wanted<S>[] {
  const taken = new Map<string, number>();
  return specs.map(({ id, source, spec }) => {
    const natural = layeredId(spec.layer, id);
    const count = (taken.get(natural) ?? 0) + 1;
    taken.set(natural, count);
    return {
      id: count === 1 ? natural : `${natural}#${count}`,
      spec,
      annotations: new Map([[SOURCE_ANNOTATION, source]]),
    };
  });
}

/**
 * Makes wishes of one type out of what all sources say about links.
 * @param notes for a person, told once
 */
export function linkWishController<S extends { readonly layer: ConfigLayer }, T extends string>(
  name: string,
  definition: ResourceDefinition<S, T>,
  cmdline: string,
  specsOf: (wishes: readonly LinkWish[]) => readonly SourcedSpec<S>[],
  notes: readonly string[] = [],
): Controller {
  const parsed = parseNetworkArguments(cmdline);
  const untold = [...notes];
  // the spec is known by its layer only in here
  const type = definition as unknown as ResourceDefinition<{ layer: ConfigLayer }, T>;
  return defineController({
    name,
    inputs: [weak(MachineConfigs, { id: ACTIVE_MACHINE_CONFIG_ID }), weak(LinkStatuses)],
    outputs: [shared(type)],
    async reconcile(r) {
      for (const note of untold.splice(0)) r.log(note);
      const config = await r.get(MachineConfigs, ACTIVE_MACHINE_CONFIG_ID);
      const present = parsed.links.length === 0 ? [] : (await r.list(LinkStatuses)).flatMap(presentLink);
      const wishes = [
        ...DEFAULT_LINK_WISHES,
        ...argumentLinkWishes(linksOf(parsed, present)),
        ...(config === undefined ? [] : configLinkWishes(configOf(config), parsed.ignoredLinks)),
      ];
      await r.sync(type, layeredWishes(specsOf(wishes)), { namespace: NETWORK_CONFIG });
    },
  });
}

function presentLink({ metadata, spec }: Resource<LinkStatus>): PresentLink[] {
  return spec.type === "loopback" ? [] : [{ name: metadata.id, isCard: isPhysicalLink(spec) }];
}
