import { Buffer } from "node:buffer";
import { type DescMessage, type DescMethod, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";

/** How values of one type travel. */
export interface Codec<T> {
  encode(value: T): Buffer;
  decode(bytes: Uint8Array): T;
}

/** Unary calls answer once; stream calls with any number of messages. */
export type MethodKind = "unary" | "stream";

/** A call that a server offers and a client makes: where it is, and how both messages travel. */
export interface Method<I, O, K extends MethodKind = MethodKind> {
  readonly kind: K;
  /** `/package.Service/Name` */
  readonly path: string;
  readonly request: Codec<I>;
  readonly response: Codec<O>;
}

/** The codec of a generated message. */
export function messageCodec<D extends DescMessage>(schema: D): Codec<MessageShape<D>> {
  return {
    encode: (value) => viewOf(toBinary(schema, value)),
    decode: (bytes) => fromBinary(schema, bytes),
  };
}

/** The same bytes as a Buffer, without a copy. */
export function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A method that answers once. */
export function unary<I extends DescMessage, O extends DescMessage>(
  path: string,
  request: I,
  response: O,
): Method<MessageShape<I>, MessageShape<O>, "unary"> {
  return { kind: "unary", path, request: messageCodec(request), response: messageCodec(response) };
}

/** A method that answers with a stream. */
export function stream<I extends DescMessage, O extends DescMessage>(
  path: string,
  request: I,
  response: O,
): Method<MessageShape<I>, MessageShape<O>, "stream"> {
  return { kind: "stream", path, request: messageCodec(request), response: messageCodec(response) };
}

/**
 * A method of a generated service, such as `MachineService.method.version`. Loads all files of that service; where
 * start-up time counts, declare the method with {@link unary} or {@link stream} instead.
 * @throws {TypeError} when the client side streams.
 */
export function methodOf<I extends DescMessage, O extends DescMessage>(
  descriptor: DescMethod & { input: I; output: O },
): Method<MessageShape<I>, MessageShape<O>> {
  const path = `/${descriptor.parent.typeName}/${descriptor.name}`;
  switch (descriptor.methodKind) {
    case "unary":
      return unary(path, descriptor.input, descriptor.output);
    case "server_streaming":
      return stream(path, descriptor.input, descriptor.output);
    default:
      throw new TypeError(`Cannot call "${path}": the client side streams`);
  }
}
