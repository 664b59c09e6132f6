import { createRegistry, fromBinary, toJson } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.ts";
import { type Status, StatusSchema } from "../../../gen/google/rpc/status_pb.ts";
import type { ErrorStatus } from "../../support/clients.ts";

const registry = createRegistry(file_google_rpc_error_details);

/** Returns google.rpc.Status in protobuf JSON, its details decoded. */
export function toErrorStatus(status: Status): ErrorStatus {
  return toJson(StatusSchema, status, { registry }) as unknown as ErrorStatus; // the JSON of a Status
}

/** Reads the value of `grpc-status-details-bin`, which is base64 with or without padding. */
export function parseDetails(value: string): Status {
  return fromBinary(StatusSchema, base64Decode(value));
}
