import type { Buffer } from "node:buffer";
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { EventType, Resource, WatchEvent } from "../cosi/mod.ts";
import {
  CreateOptionsSchema,
  DestroyRequestSchema,
  DestroyResponseSchema,
  EventType as WireEventType,
  GetRequestSchema,
  ListRequestSchema,
  ListResponseSchema,
  TeardownAndDestroyRequestSchema,
  TeardownAndDestroyResponseSchema,
  TeardownRequestSchema,
  TeardownResponseSchema,
  UpdateOptionsSchema,
  WatchRequestSchema,
} from "./gen/cosi/resource/state_pb.ts";
import { ApiError } from "./errors.ts";
import { type Codec, messageCodec, type Method, unary, viewOf } from "./method.ts";
import { type ResourceCodec, splitMessage } from "./resource_codec.ts";
import { WireWriter } from "./wire_writer.ts";

/** A request that brings a resource. What is missing or malformed shows when the resource is asked for. */
export interface WriteRequest<O> {
  /** @throws {ApiError} UNKNOWN, which no client takes for a conflict (cosi.md 5.14, 5.24). */
  resource(): Resource;
  readonly options: O;
}

const EVENT_TYPES: Readonly<Record<EventType, WireEventType>> = {
  created: WireEventType.CREATED,
  updated: WireEventType.UPDATED,
  destroyed: WireEventType.DESTROYED,
  bootstrapped: WireEventType.BOOTSTRAPPED,
  errored: WireEventType.ERRORED,
  noop: WireEventType.NOOP,
};

/** An object of a list, and with the last one of a page what to ask for the next page with; empty: no more. */
export interface ListItem {
  readonly resource: Resource;
  readonly next: string;
}

/** The eight calls of `cosi.resource.State`, for server and client alike. */
export function stateMethods(codec: ResourceCodec) {
  const resource = resourceField(codec);
  const call = <I, O, K extends "unary" | "stream">(kind: K, name: string, request: Codec<I>, response: Codec<O>) =>
    ({ kind, path: `/cosi.resource.State/${name}`, request, response }) satisfies Method<I, O, K>;
  return {
    get: call("unary", "Get", messageCodec(GetRequestSchema), resource),
    list: call("stream", "List", messageCodec(ListRequestSchema), listItem(codec)),
    create: call("unary", "Create", writeRequest(codec, 1, 2, CreateOptionsSchema), resource),
    update: call("unary", "Update", writeRequest(codec, 2, 3, UpdateOptionsSchema), resource),
    destroy: unary("/cosi.resource.State/Destroy", DestroyRequestSchema, DestroyResponseSchema),
    watch: call("stream", "Watch", messageCodec(WatchRequestSchema), watchEvents(codec)),
    teardown: unary("/cosi.resource.State/Teardown", TeardownRequestSchema, TeardownResponseSchema),
    teardownAndDestroy: unary(
      "/cosi.resource.State/TeardownAndDestroy",
      TeardownAndDestroyRequestSchema,
      TeardownAndDestroyResponseSchema,
    ),
  };
}

/** An answer whose field 1 is a resource. */
function resourceField(codec: ResourceCodec): Codec<Resource> {
  return {
    encode: (resource) => viewOf(codec.encodeField(resource)),
    decode: (bytes) => codec.decode(splitMessage(bytes)[1] ?? new Uint8Array()),
  };
}

function listItem(codec: ResourceCodec): Codec<ListItem> {
  const { encode, decode } = resourceField(codec);
  return {
    encode: ({ resource, next }) => {
      if (next === "") return encode(resource);
      return viewOf(
        concatenate([encode(resource), toBinary(ListResponseSchema, create(ListResponseSchema, { continue: next }))]),
      );
    },
    decode: (bytes) => {
      const { 1000: next } = splitMessage(bytes);
      return { resource: decode(bytes), next: next === undefined ? "" : new TextDecoder().decode(next) };
    },
  };
}

function writeRequest<D extends DescMessage>(
  codec: ResourceCodec,
  resourceNumber: number,
  optionsNumber: number,
  schema: D,
): Codec<WriteRequest<MessageShape<D>>> {
  return {
    encode: ({ resource, options }) =>
      viewOf(
        new WireWriter().bytes(resourceNumber, codec.encode(resource())).bytes(optionsNumber, toBinary(schema, options))
          .finish(),
      ),
    decode: (bytes) => {
      const { [resourceNumber]: resource, [optionsNumber]: options } = splitMessage(bytes);
      return {
        resource: () => decodeOrUnknown(codec, resource),
        options: options === undefined ? create(schema) : fromBinary(schema, options),
      };
    },
  };
}

function decodeOrUnknown(codec: ResourceCodec, bytes: Uint8Array | undefined): Resource {
  try {
    return codec.decode(bytes ?? new Uint8Array());
  } catch (cause) {
    throw new ApiError("UNKNOWN", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Events in one message. Each is encoded once, however many clients watch. */
function watchEvents(codec: ResourceCodec): Codec<readonly WatchEvent[]> {
  const encoded = new WeakMap<WatchEvent, Buffer>();
  const writer = new WireWriter();
  const encodeEvent = (event: WatchEvent): Buffer => {
    let bytes = encoded.get(event);
    if (bytes === undefined) encoded.set(event, bytes = viewOf(eventField(writer, codec, event)));
    return bytes;
  };
  return {
    encode: (events) => {
      const [first] = events;
      if (first !== undefined && events.length === 1) return encodeEvent(first);
      return viewOf(concatenate(events.map(encodeEvent)));
    },
    decode: (bytes) => {
      const events: WatchEvent[] = [];
      const reader = new BinaryReader(bytes);
      while (reader.pos < reader.len) {
        const [number, wire] = reader.tag();
        if (number === 1) events.push(decodeEvent(codec, reader.bytes()));
        else reader.skip(wire, number);
      }
      return events;
    },
  };
}

/** A message whose field 1 is the event. */
function eventField(
  writer: WireWriter,
  codec: ResourceCodec,
  { resource, type, old, error, bookmark }: WatchEvent,
): Uint8Array {
  const start = writer.clear().begin(1);
  writer.raw(codec.encodeField(resource));
  if (EVENT_TYPES[type] !== 0) writer.number(2, EVENT_TYPES[type]);
  if (old !== undefined) writer.bytes(3, codec.encode(old));
  if (error !== undefined) writer.text(4, error.message);
  if (bookmark !== undefined) writer.bytes(5, bookmark);
  return writer.end(start).finish();
}

function decodeEvent(codec: ResourceCodec, bytes: Uint8Array): WatchEvent {
  let type: EventType = "created";
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (number === 2) type = eventTypeOf(reader.int32());
    else reader.skip(wire, number);
  }
  const { 1: resource = new Uint8Array(), 3: old, 4: error, 5: bookmark } = splitMessage(bytes);
  return {
    type,
    resource: codec.decode(resource),
    old: old && codec.decode(old),
    error: error && new Error(new TextDecoder().decode(error)),
    bookmark: bookmark && new Uint8Array(bookmark),
  };
}

function eventTypeOf(number: number): EventType {
  const type = (Object.keys(EVENT_TYPES) as EventType[]).find((name) => EVENT_TYPES[name] === number);
  if (type === undefined) throw new SyntaxError(`Cannot read an event: type ${number} is not known`);
  return type;
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
