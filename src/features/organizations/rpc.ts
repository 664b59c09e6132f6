import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { toObjectDetails } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { OrganizationCommands } from "./commands.ts";

/** Maps the messages of OrganizationService to commands. */
export function createOrganizationService(commands: OrganizationCommands): ServiceImplementation {
  return implementService(OrganizationService, {
    addOrganization: {
      run: async (call, request) => {
        const { id, details } = await commands.add(call, request.name);
        return { organizationId: id, details: toObjectDetails(details) };
      },
    },
  });
}
