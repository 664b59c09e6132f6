import { OrganizationState } from "../../../gen/gatehouse/v1/organization_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
} from "../messages.ts";
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
        const listed = await commands.list(call, request, toPageRequest(request));
        return {
          ...toListAnswer(listed, context),
          organizations: listed.page.items.map(toOrganizationMessage),
        };
      },
    },
    updateOrganization: {
      run: async (call, request) => toDetailsAnswer(await commands.update(call, request.name)),
    },
    deactivateOrganization: {
      run: async (call) => toDetailsAnswer(await commands.deactivate(call)),
    },
    reactivateOrganization: {
      run: async (call) => toDetailsAnswer(await commands.reactivate(call)),
    },
    removeOrganization: {
      run: async (call) => toRemovalAnswer(await commands.remove(call)),
    },
  });
}

function toOrganizationMessage({ details, state, ...organization }: Organization) {
  return { ...organization, details: toObjectDetails(details), state: OrganizationState[state] };
}
