import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import type {
  AddUserGrantRequest,
  AddUserGrantResponseSchema,
} from "../../../../gen/gatehouse/v1/user_grant_service_pb.ts";

/** Returns an answer of the size of a real one. */
export function echoOf({
  userId,
  projectId,
}: AddUserGrantRequest): MessageInitShape<typeof AddUserGrantResponseSchema> {
  const now = timestampNow();
  return {
    userGrantId: userId,
    details: { sequence: 1_000_000n, creationDate: now, changeDate: now, resourceOwner: projectId },
  };
}
