import { toBinary } from "@bufbuild/protobuf";
import type { Problem } from "../../../kernel/base/problem.ts";
import { type Status, StatusSchema } from "../../../../gen/google/rpc/status_pb.ts";
import { type StatusBounds, toStatus } from "./status.ts";

/** Largest message and google.rpc.Status in trailers: clients of gRPC refuse more than 8 KiB of metadata by default. */
const maxTrailerBytes = 7000;

const boundsForTrailers: readonly StatusBounds[] = [
  ...[64, 32, 16, 8, 4, 2, 1].map((maxViolations) => ({ maxViolations })),
  { maxViolations: 1, maxCharacters: 100 },
];

/**
 * Converts the problem to a google.rpc.Status that fits into trailers, with as many of the broken rules as fit and
 * the beginning of long texts.
 */
export function toStatusForTrailers(problem: Problem): Status {
  let status = toStatus(problem);
  for (const bounds of boundsForTrailers) {
    if (fitsIntoTrailers(status)) break;
    status = toStatus(problem, bounds);
  }
  return status;
}

function fitsIntoTrailers(status: Status): boolean {
  const { "grpc-message": message, "grpc-status-details-bin": details } = trailersOf(status);
  return message.length + details.length <= maxTrailerBytes;
}

/** Converts the problem to HTTP trailers. */
export function toTrailers(problem: Problem): Record<string, string> {
  return trailersOf(toStatusForTrailers(problem));
}

/**
 * Converts the problem to the trailers in the body of gRPC-web, in their order. Limits on headers do not apply to
 * them.
 */
export function toWebTrailers(problem: Problem): Record<string, string> {
  const status = toStatus(problem);
  // Encoded as in Connect, which all gRPC-web clients decode.
  return { ...trailersOf(status), "grpc-message": encodeURIComponent(status.message) };
}

function trailersOf(status: Status) {
  return {
    "grpc-message": percentEncode(status.message),
    "grpc-status": String(status.code),
    "grpc-status-details-bin": Buffer.from(toBinary(StatusSchema, status))
      .toString("base64")
      .replaceAll("=", ""),
  };
}

/** Encodes as the gRPC protocol requires: bytes outside 0x20 to 0x7E, and `%`, in percent form. */
function percentEncode(text: string): string {
  return text.replaceAll(/[^\x20-\x24\x26-\x7e]+/g, (part) => encodeURIComponent(part));
}
