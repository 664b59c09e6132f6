import type { DescMessage, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Call } from "../kernel/base/call.ts";
import type { FieldViolation } from "../kernel/base/problem.ts";

/** One rpc of a feature, on messages. The pipeline has already checked token, permission and bounds. */
export interface Rpc<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> {
  /** Checks field rules that the proto cannot express; they are reported together with those of the proto. Pure. */
  readonly check?: (request: MessageShape<I>) => readonly FieldViolation[];
  readonly run: (call: Call, request: MessageShape<I>) => Promise<MessageInitShape<O>>;
  /**
   * Does what a transaction may not wait for: a batch calls it for each of its items before it begins, when nothing but the token was
   * checked. It changes nothing. May raise OVERLOADED.
   */
  readonly prepareItem?: (call: Call, request: MessageShape<I>) => Promise<void>;
}

/** One rpc that answers with a stream. The pipeline does the same for it as for a unary rpc. */
export interface StreamRpc<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> {
  readonly check?: (request: MessageShape<I>) => readonly FieldViolation[];
  /** Yields the answers until `call.signal` is aborted: when the caller is gone or the service stops. */
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

/** Adds to a call what the field `force` of its request says. */
export function toForcedCall(call: Call, { force }: { readonly force: boolean }): Call {
  return force ? { ...call, isForced: true } : call;
}

/** Binds the rpcs to their service. The only place that gives up the types of single rpcs. */
export function implementService<S extends DescService>(
  service: S,
  rpcs: ServiceRpcs<S>,
): ServiceImplementation {
  return { service, rpcs }; // dispatch is by descriptor from here on
}
