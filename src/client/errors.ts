import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorReason } from "../../gen/gatehouse/v1/error_reason_pb.ts";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";

/**
 * Why a call failed: a reason of the catalogue (`error_reason.proto`), UNREACHABLE when no answer came, and UNKNOWN for an answer that is
 * not of Gatehouse, such as that of a proxy.
 */
export type FailureReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED"> | "UNREACHABLE" | "UNKNOWN";

/** A field that breaks a rule. */
export interface Violation {
  /** The path of the field as the proto names it, such as `redirect_uris[1]`. */
  readonly field: string;
  readonly description: string;
}

/** What a call failed with. `code` is that of gRPC. Its `name` stays `ConnectError`: Connect takes errors with another name for strange ones. */
export class GatehouseError extends ConnectError {
  readonly reason: FailureReason;
  /** What the reason is about, such as the `type` and `name` of an object; the catalogue says which keys a reason has. */
  readonly info: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  /** By which the log of the service finds the call; undefined: there was no answer. */
  readonly requestId: string | undefined;
  /** After how many milliseconds a retry may help; undefined: the service has not said. */
  readonly retryAfterMs: number | undefined;

  constructor(error: ConnectError) {
    super(error.rawMessage, error.code, error.metadata, undefined, error.cause);
    this.details = error.details;
    const [info] = error.findDetails(ErrorInfoSchema);
    const [retry] = error.findDetails(RetryInfoSchema);
    this.reason = toReason(info?.reason, error);
    this.info = info?.metadata ?? {};
    this.violations = error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations);
    this.requestId = error.metadata.get("x-request-id") ?? undefined;
    const { seconds = 0n, nanos = 0 } = retry?.retryDelay ?? {};
    this.retryAfterMs = retry?.retryDelay && Number(seconds) * 1000 + nanos / 1e6;
  }

  /** That of ConnectError, which a subclass inherits, takes every ConnectError. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof ConnectError && "retryAfterMs" in value;
  }

  /** Reads what a call, or anything else, failed with. */
  static override from(error: unknown): GatehouseError {
    return error instanceof GatehouseError ? error : new GatehouseError(ConnectError.from(error));
  }
}

function toReason(text: string | undefined, error: ConnectError): FailureReason {
  if (text !== undefined && Object.hasOwn(ErrorReason, text)) return text as FailureReason; // a key of the catalogue
  return isLost(error) ? "UNREACHABLE" : "UNKNOWN";
}

/** Says whether the connection failed, before an answer or within it. fetch fails with a TypeError then, whosever class that is. */
function isLost({ code, cause }: ConnectError): boolean {
  const { name } = Object(cause) as { readonly name?: unknown };
  return name === "TypeError" && (code === Code.Unknown || code === Code.Unavailable);
}

/** Says whether the same call may succeed a little later. */
export function isPassing({ code, reason, retryAfterMs }: GatehouseError): boolean {
  return reason === "UNREACHABLE" || code === Code.Unavailable || retryAfterMs !== undefined;
}

/** Says whether another token may help. */
export function isAboutToken({ code }: GatehouseError): boolean {
  return code === Code.Unauthenticated;
}
