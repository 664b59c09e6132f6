import type { DescMessage, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Call } from "../base/call.ts";
import type { FieldViolation } from "../base/problem.ts";

/** One rpc of a feature, on messages. Everything around it (token, permission, bounds) the pipeline has done. */
export interface Rpc<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> {
  /** Field rules that the proto cannot express. Reported together with those that it does. Pure. */
  readonly check?: (request: MessageShape<I>) => readonly FieldViolation[];
  readonly run: (call: Call, request: MessageShape<I>) => Promise<MessageInitShape<O>>;
}

/** One rpc that answers a stream. The same is done around it as around a unary one. */
export interface StreamRpc<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> {
  readonly check?: (request: MessageShape<I>) => readonly FieldViolation[];
  /** Yields the answers until the caller is gone: `call.signal` is aborted then, and when the service stops. */
  readonly open: (call: Call, request: MessageShape<I>) => AsyncIterable<MessageInitShape<O>>;
}

/** The rpcs of a service, by the name of the method in camelCase. */
export type ServiceRpcs<S extends DescService> = {
  readonly [M in keyof S["method"]]: S["method"][M]["methodKind"] extends "server_streaming"
    ? StreamRpc<S["method"][M]["input"], S["method"][M]["output"]>
    : Rpc<S["method"][M]["input"], S["method"][M]["output"]>;
};

/** A service with its rpcs, as `rpc` mounts it. */
export interface ServiceImplementation {
  readonly service: DescService;
  readonly rpcs: Readonly<Record<string, Rpc | StreamRpc>>;
}

/** Binds the rpcs to their service. The one place where the types of single rpcs are given up. */
export function implementService<S extends DescService>(
  service: S,
  rpcs: ServiceRpcs<S>,
): ServiceImplementation {
  return { service, rpcs }; // dispatch is by descriptor from here on
}
