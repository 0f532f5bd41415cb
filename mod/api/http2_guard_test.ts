import { create } from "@bufbuild/protobuf";
import { EventSchema, EventsRequestSchema } from "./gen/machine/event_pb.ts";
import { handleStream } from "./handler.ts";
import { MACHINE_METHODS } from "./machine_methods.ts";
import { Testbed } from "./testbed.ts";

const events = handleStream(MACHINE_METHODS.events, async (_request, context) => {
  await context.send(create(EventSchema, { id: "one" }));
  await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
});

Deno.test("ApiClient outlives a server that goes away after calls were cancelled", async () => {
  for (let round = 0; round < 10; round++) { // what it must not do ends the whole process, most times
    await using bed = await Testbed.start([events]);
    const client = bed.client(["os:reader"]);
    for (let call = 0; call < 3; call++) {
      for await (const _event of client.stream(MACHINE_METHODS.events, create(EventsRequestSchema))) break;
    }
    await bed.server.drain(1000);
  }
});
