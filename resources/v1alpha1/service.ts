import { defineResource } from "../../mod/cosi/mod.ts";
import { field } from "../../mod/schema/mod.ts";

/** State of a supervised service; its id is the service's. */
export interface Service {
  running: boolean;
  healthy: boolean;
  /** Health is not known, because there is no check or it has not run yet. */
  unknown: boolean;
}

export const Services = defineResource<Service>()({
  type: "Services.v1alpha1.talos.dev",
  namespace: "runtime",
  aliases: ["svc"],
  columns: [
    { name: "Running", path: "{.running}" },
    { name: "Healthy", path: "{.healthy}" },
    { name: "Health Unknown", path: "{.unknown}" },
  ],
  fields: { running: field.bool(1), healthy: field.bool(2), unknown: field.bool(3) },
});
