import { field, record } from "../schema/mod.ts";
import { defineResource } from "./definition.ts";
import { NotFoundError, UnsupportedError } from "./errors.ts";
import { formatVersion, newMetadata } from "./metadata_edit.ts";
import type { Kind, Metadata, Pointer } from "./metadata.ts";
import type { Query } from "./query.ts";
import { compileQuery, loadPatterns } from "./query_match.ts";
import { makeResource, type Resource } from "./resource.ts";
import type { OwnerOption, State, UpdateOptions, Watch, WatchKindOptions, WatchOptions } from "./state.ts";
import { compareText } from "./text_order.ts";
import { timestampOf } from "./timestamp.ts";
import type { CauseLog, WakeReason, WriteCause } from "./write_cause.ts";

/** An object that changed. */
export interface CausingObject {
  namespace: string;
  type: string;
  id: string;
  /** The version in which it woke the controller. */
  version: string;
}

/** Why an object was last written; see {@link writeCauseId}. Read-only, and made when asked for. */
export interface WriteCauseSpec {
  controller: string;
  /** RFC 3339; start of the run that wrote it. */
  time: string;
  reason: WakeReason;
  objects: readonly CausingObject[];
  /** How many objects more there were. */
  moreObjects: number;
}

const REASONS = { start: 0, change: 1, retry: 2, timer: 3, outside: 4, request: 5, resync: 6 } as const;
const object = record<CausingObject>()({
  namespace: field.string(1),
  type: field.string(2),
  id: field.string(3),
  version: field.string(4),
});

export const WriteCauses = defineResource<WriteCauseSpec>()({
  type: "WriteCauses.cosi.monos.dev",
  namespace: "runtime",
  aliases: ["causes", "cause"],
  columns: [
    { name: "Controller", path: "{.controller}" },
    { name: "Reason", path: "{.reason}" },
    { name: "Objects", path: "{.objects[*].id}" },
  ],
  fields: {
    controller: field.string(1),
    time: field.timestamp(2),
    reason: field.oneOf(3, REASONS),
    objects: field.list(4, field.record(0, object)),
    moreObjects: field.int64(5),
  },
});

/** Id of the cause of an object: its namespace, type and id, with `/` between them. */
export function writeCauseId({ namespace, type, id }: Pointer): string {
  return `${namespace}/${type}/${id}`;
}

/** A state in which the causes of a runtime's writes can be read like other resources. They cannot be watched. */
export class ExplainedState implements State {
  readonly #state: State;
  readonly #causes: CauseLog;

  constructor(state: State, causes: CauseLog) {
    this.#state = state;
    this.#causes = causes;
  }

  async get(pointer: Pointer): Promise<Resource> {
    if (!isCause(pointer)) return await this.#state.get(pointer);
    const [namespace = "", type = "", ...id] = pointer.id.split("/");
    const object = { namespace, type, id: id.join("/") };
    const cause = this.#causes.find(object);
    if (cause === undefined) throw new NotFoundError(pointer);
    return causeResource(object, cause);
  }

  async list(kind: Kind, query: Query = {}): Promise<readonly Resource[]> {
    if (!isCause(kind)) return await this.#state.list(kind, query);
    const all = [...this.#causes.entries()].map(([object, cause]) => causeResource(object, cause))
      .sort((a, b) => compareText(a.metadata.id, b.metadata.id));
    await loadPatterns(query);
    const match = compileQuery(query);
    return match === undefined ? all : all.filter(match);
  }

  async create(resource: Resource, options?: OwnerOption): Promise<Resource> {
    refuse(resource.metadata, "written");
    return await this.#state.create(resource, options);
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    refuse(resource.metadata, "written");
    return await this.#state.update(resource, options);
  }

  async destroy(pointer: Pointer, options?: OwnerOption): Promise<void> {
    refuse(pointer, "written");
    await this.#state.destroy(pointer, options);
  }

  async teardown(pointer: Pointer, options?: OwnerOption): Promise<boolean> {
    refuse(pointer, "written");
    return await this.#state.teardown(pointer, options);
  }

  async watch(pointer: Pointer, options?: WatchOptions): Promise<Watch> {
    refuse(pointer, "watched");
    return await this.#state.watch(pointer, options);
  }

  async watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch> {
    refuse(kind, "watched");
    return await this.#state.watchKind(kind, options);
  }
}

function isCause({ namespace, type }: Kind): boolean {
  return type === WriteCauses.type && namespace === WriteCauses.namespace;
}

function refuse(kind: Kind, verb: string): void {
  if (isCause(kind)) {
    throw new UnsupportedError(`Cannot use ${kind.type}: it is made when asked for and cannot be ${verb}`);
  }
}

function causeResource(pointer: Pointer, cause: WriteCause): Resource<WriteCauseSpec> {
  const { namespace, type } = WriteCauses;
  const time = timestampOf(cause.at);
  const metadata = newMetadata({ namespace, type, id: writeCauseId(pointer) }, {
    version: 1n,
    owner: cause.controller,
    created: time,
    updated: time,
  });
  return makeResource(metadata, {
    controller: cause.controller,
    time: new Date(cause.at).toISOString(),
    reason: cause.reason,
    objects: cause.objects.map(causingObject),
    moreObjects: cause.more,
  });
}

function causingObject({ namespace, type, id, version }: Metadata): CausingObject {
  return { namespace, type, id, version: formatVersion(version) };
}
