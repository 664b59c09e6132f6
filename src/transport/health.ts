import type { Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { HealthCheckRequest } from "../../gen/grpc/health/v1/health_pb.ts";
import {
  Health,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthListResponseSchema,
} from "../../gen/grpc/health/v1/health_pb.ts";
import { notFound } from "../base/problem.ts";
import type { Arrival, Method } from "./method.ts";
import { single } from "./pipeline.ts";

const maxRequestBytes = 4096;
const watchPauseMs = 1000;

/**
 * Returns grpc.health.v1.Health, which takes no token. It knows the empty service name and `serviceNames`; all of
 * them are SERVING while `ready` says so.
 */
export function createHealthMethods(options: {
  readonly serviceNames: readonly string[];
  readonly ready: () => Promise<boolean>;
}): readonly Method[] {
  const names = new Set(["", ...options.serviceNames]);
  const status = async (): Promise<ServingStatus> =>
    (await options.ready().catch(() => false)) ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  const respond = (value: ServingStatus) => create(HealthCheckResponseSchema, { status: value });
  const watch = async function* (
    service: string,
    { signal }: Arrival,
  ): AsyncGenerator<Message, void, undefined> {
    let last: ServingStatus | undefined;
    while (!signal.aborted) {
      const now = names.has(service) ? await status() : ServingStatus.SERVICE_UNKNOWN;
      if (now !== last) yield respond(now);
      last = now;
      await pause(watchPauseMs, signal);
    }
  };
  return [
    {
      kind: "unary",
      descriptor: Health.method.check,
      maxRequestBytes,
      async call(_arrival, receive) {
        const { service } = (await receive()) as HealthCheckRequest; // the input of the descriptor
        if (!names.has(service)) throw notFound("service", service);
        return respond(await status());
      },
    },
    {
      kind: "unary",
      descriptor: Health.method.list,
      maxRequestBytes,
      async call(_arrival, receive) {
        await receive();
        const now = await status();
        const statuses = Object.fromEntries([...names].map((name) => [name, { status: now }]));
        return create(HealthListResponseSchema, { statuses });
      },
    },
    {
      kind: "stream",
      descriptor: Health.method.watch,
      maxRequestBytes,
      async open(arrival, receive) {
        const { service } = (await single(receive())) as HealthCheckRequest; // the input of the descriptor
        return watch(service, arrival);
      },
    },
  ];
}

/** Waits, at the most until the signal is aborted. */
function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
