import { checkVisible } from "../../../kernel/base/names/visible-name.ts";
import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { FeatureContext } from "../../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
} from "../../messages.ts";
import { type ServiceRpcs, toForcedCall } from "../../rpc.ts";
import type { IdentityLinkCommands } from "./commands.ts";
import type { NamedIdentityLink } from "./repository.ts";

/** Maps the messages about links to commands. */
export function createIdentityLinkRpcs(
  commands: IdentityLinkCommands,
  context: FeatureContext,
): Pick<ServiceRpcs<typeof UserService>, "listIdpLinks" | "addIdpLink" | "removeIdpLink"> {
  return {
    listIdpLinks: {
      run: async (call, request) => {
        const listed = await commands.list(call, request.userId, toPageRequest(request));
        return { ...toListAnswer(listed, context), links: listed.page.items.map(toMessage) };
      },
    },
    addIdpLink: {
      check: (request) => checkVisible({ external_username: request.externalUsername }),
      run: async (call, { idpId: providerId, ...request }) =>
        toDetailsAnswer(await commands.add(call, { ...request, providerId })),
    },
    removeIdpLink: {
      run: async (call, { idpId: providerId, ...request }) =>
        toRemovalAnswer(await commands.remove(toForcedCall(call, request), { ...request, providerId })),
    },
  };
}

function toMessage(link: NamedIdentityLink) {
  return {
    idpId: link.providerId,
    idpName: link.providerName,
    externalUserId: link.externalUserId,
    externalUsername: link.externalUsername,
    details: toObjectDetails(link.details),
  };
}
