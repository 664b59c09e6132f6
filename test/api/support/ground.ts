import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import type { Lane, Outcome } from "../../support/clients.ts";
import type { TestService } from "../../support/service.ts";
import { createCaller, createServiceUser, idOf, uniqueName } from "../../support/world.ts";
import { type CreationOptions } from "../../support/software-authenticator.ts";
import { setStage, type Stage } from "./stage.ts";

/** An organization with its owner and what the eight operations need, for one lane. */
export interface Ground extends Stage {
  readonly lane: Lane;
  readonly ownerToken: string;
  readonly creationOptions: CreationOptions;
  /** Calls over the lane as the owner of the organization. */
  call<M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>): Promise<Outcome>;
  /** Calls over JSON as the owner, and returns the answer. */
  read<M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>): Promise<JsonObject>;
}

/** Makes an organization for calls over the lane. */
export async function layGround(service: TestService, lane: Lane): Promise<Ground> {
  const added = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Organization"),
  });
  const organizationId = idOf(added, "organizationId");
  const owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  // What stands above organizations needs a role on the instance.
  const scope = { case: "instance" as const, value: true };
  await service.call(MembershipService.method.addMembership, {
    userId: owner.id,
    scope,
    roles: ["INSTANCE_OWNER"],
  });
  return {
    ...(await setStage(service, organizationId)),
    lane,
    ownerToken: owner.token,
    call: (method, request) => service.clients[lane].call(method, request, { token: owner.token }),
    read: createCaller(service, organizationId),
  };
}
