import { type Controller, defineController, exclusive, type WakeSource } from "../../mod/cosi/mod.ts";
import { type Service, Services } from "../../resources/v1alpha1/service.ts";

/** The supervised services, and a wake-up at each change. */
export interface ServiceSource extends WakeSource {
  services(): readonly (Service & { readonly id: string })[];
}

/** Shows each supervised service as a resource. */
export function serviceController(source: ServiceSource): Controller {
  return defineController({
    name: "v1alpha1.ServiceController",
    inputs: [],
    outputs: [exclusive(Services)],
    wakeOn: [source],
    async reconcile(r) {
      await r.sync(Services, source.services().map(({ id, ...spec }) => ({ id, spec })));
    },
  });
}
