import { OrganizationState } from "../../../gen/gatehouse/v1/organization_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import { toListDetails, toObjectDetails, toPageRequest } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { OrganizationCommands } from "./commands.ts";
import type { Organization } from "./organization.ts";

/** Maps the messages of OrganizationService to commands. The field `id` is the organization of the call. */
export function createOrganizationService(
  commands: OrganizationCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(OrganizationService, {
    addOrganization: {
      run: async (call, request) => {
        const { id, details } = await commands.add(call, request.name);
        return { organizationId: id, details: toObjectDetails(details) };
      },
    },
    getOrganization: {
      run: async (call) => ({ organization: toOrganizationMessage(await commands.get(call)) }),
    },
    listOrganizations: {
      run: async (call, request) => {
        const { page, sequence } = await commands.list(call, { name: request.name }, toPageRequest(request));
        return {
          details: toListDetails(page, { sequence, nowMs: context.clock.nowMs() }),
          organizations: page.items.map(toOrganizationMessage),
          nextPageToken: page.nextPageToken,
        };
      },
    },
    updateOrganization: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.update(call, request.name)),
      }),
    },
    deactivateOrganization: {
      run: async (call) => ({ details: toObjectDetails(await commands.deactivate(call)) }),
    },
    reactivateOrganization: {
      run: async (call) => ({ details: toObjectDetails(await commands.reactivate(call)) }),
    },
    removeOrganization: {
      run: async (call) => ({ details: toObjectDetails(await commands.remove(call)) }),
    },
  });
}

function toOrganizationMessage(organization: Organization) {
  return {
    id: organization.id,
    details: toObjectDetails(organization.details),
    state: organization.state === "ACTIVE" ? OrganizationState.ACTIVE : OrganizationState.INACTIVE,
    name: organization.name,
  };
}
