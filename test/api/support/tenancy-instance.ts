import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import type { TestService } from "../../support/service.ts";
import { idOf } from "../../support/world.ts";

/** Returns the id of the instance, by a membership on it. */
export async function instanceIdOf(service: TestService): Promise<string> {
  const { memberships } = await service.call(MembershipService.method.listMemberships, { instance: true });
  const [membership] = memberships as readonly JsonObject[]; // that of the administrator
  return idOf(membership?.["details"] as JsonObject, "resourceOwner");
}
