import type { Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { HealthCheckRequest, HealthCheckResponse } from "../../../../gen/grpc/health/v1/health_pb.ts";
import {
  Health,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthListResponseSchema,
} from "../../../../gen/grpc/health/v1/health_pb.ts";
import { notFound } from "../../../kernel/base/problem.ts";
import type { Arrival, Method } from "../calls/method.ts";
import { single } from "../calls/single-request.ts";
import { tooManyStreams } from "../errors/refusals.ts";

const maxRequestBytes = 4096;
const watchPauseMs = 1000;
/** Maximum number of open watches. They need no token, and a client needs one for each connection. */
const maxWatches = 1000;

/**
 * Creates grpc.health.v1.Health, which takes no token. It knows the empty service name and `serviceNames`; all of them are SERVING
 * while `ready` says so. All watches together ask once per second. Watch raises TOO_MANY_STREAMS.
 */
export function createHealthMethods(options: {
  readonly serviceNames: readonly string[];
  readonly ready: () => Promise<boolean>;
}): readonly Method[] {
  const names = new Set(["", ...options.serviceNames]);
  const status = async (): Promise<ServingStatus> =>
    (await options.ready().catch(() => false)) ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
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
    createWatch(names, status),
  ];
}

function respond(status: ServingStatus): HealthCheckResponse {
  return create(HealthCheckResponseSchema, { status });
}

function createWatch(names: ReadonlySet<string>, status: () => Promise<ServingStatus>): Method {
  const sharedStatus = shareFor(watchPauseMs, status);
  const admit = createPlaces(maxWatches);
  const watch = async function* (
    service: string,
    { signal }: Arrival,
    leave: () => void,
  ): AsyncGenerator<Message, void, undefined> {
    let last: ServingStatus | undefined;
    try {
      while (!signal.aborted) {
        const now = names.has(service) ? await sharedStatus() : ServingStatus.SERVICE_UNKNOWN;
        if (now !== last) yield respond(now);
        last = now;
        await pause(watchPauseMs, signal);
      }
    } finally {
      leave();
    }
  };
  return {
    kind: "stream",
    descriptor: Health.method.watch,
    maxRequestBytes,
    async open(arrival, receive) {
      const { service } = (await single(receive())) as HealthCheckRequest; // the input of the descriptor
      return watch(service, arrival, admit(arrival.signal));
    },
  };
}

/** Creates places for watches. A watch leaves by the returned function, or when its signal is aborted before it has begun. */
function createPlaces(max: number): (signal: AbortSignal) => () => void {
  const inside = new Set<AbortSignal>();
  return (signal) => {
    if (inside.size >= max)
      throw tooManyStreams(`${max} watches are already open; try again later, or use Check`);
    inside.add(signal);
    const leave = (): void => void inside.delete(signal);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    return leave;
  };
}

/** Shares the result of the work among all callers within `timeMs` after the first. */
function shareFor<T>(timeMs: number, work: () => Promise<T>): () => Promise<T> {
  let recent: Promise<T> | undefined;
  return () => {
    if (recent === undefined) {
      recent = work();
      setTimeout(() => (recent = undefined), timeMs).unref();
    }
    return recent;
  };
}

/** Waits for the time, or until the signal is aborted. */
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
