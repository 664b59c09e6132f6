import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import type { Call } from "../../kernel/base/call.ts";
import type { FeatureContext } from "../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
} from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { MetadataCommands, MetadataObjectName } from "./commands.ts";
import { checkMetadataKeys, type Metadata, type MetadataItem } from "./metadata.ts";

/** Maps the messages of MetadataService to commands. */
export function createMetadataService(
  commands: MetadataCommands,
  context: FeatureContext,
): ServiceImplementation {
  const user = rpcsOf(commands, context, ({ userId }: { readonly userId: string }) => ({
    kind: "user",
    id: userId,
  }));
  const organization = rpcsOf(commands, context, ({ id }: { readonly id: string }) => ({
    kind: "organization",
    id,
  }));
  const project = rpcsOf(commands, context, ({ projectId }: { readonly projectId: string }) => ({
    kind: "project",
    id: projectId,
  }));
  const application = rpcsOf(
    commands,
    context,
    ({ projectId, appId }: { readonly projectId: string; readonly appId: string }) => ({
      kind: "application",
      id: appId,
      projectId,
    }),
  );
  const group = rpcsOf(commands, context, ({ groupId }: { readonly groupId: string }) => ({
    kind: "group",
    id: groupId,
  }));
  return implementService(MetadataService, {
    setUserMetadata: user.set,
    bulkSetUserMetadata: user.bulkSet,
    getUserMetadata: user.get,
    listUserMetadata: user.list,
    removeUserMetadata: user.remove,
    setOrganizationMetadata: organization.set,
    bulkSetOrganizationMetadata: organization.bulkSet,
    getOrganizationMetadata: organization.get,
    listOrganizationMetadata: organization.list,
    removeOrganizationMetadata: organization.remove,
    setProjectMetadata: project.set,
    bulkSetProjectMetadata: project.bulkSet,
    getProjectMetadata: project.get,
    listProjectMetadata: project.list,
    removeProjectMetadata: project.remove,
    setApplicationMetadata: application.set,
    bulkSetApplicationMetadata: application.bulkSet,
    getApplicationMetadata: application.get,
    listApplicationMetadata: application.list,
    removeApplicationMetadata: application.remove,
    setGroupMetadata: group.set,
    bulkSetGroupMetadata: group.bulkSet,
    getGroupMetadata: group.get,
    listGroupMetadata: group.list,
    removeGroupMetadata: group.remove,
  });
}

interface OfKey {
  readonly key: string;
}

/** Makes the five rpcs of one kind of object. `of` reads from a request which object it names. */
function rpcsOf<Named>(
  commands: MetadataCommands,
  context: FeatureContext,
  of: (request: Named) => MetadataObjectName,
) {
  return {
    set: {
      run: async (call: Call, request: Named & MetadataItem) => {
        const { key, value } = request;
        return toDetailsAnswer(await commands.set(call, of(request), { key, value }));
      },
    },
    bulkSet: {
      check: ({ items }: { readonly items: readonly MetadataItem[] }) => checkMetadataKeys(items),
      run: async (call: Call, request: Named & { readonly items: readonly MetadataItem[] }) =>
        toDetailsAnswer(await commands.setAll(call, of(request), request.items)),
    },
    get: {
      run: async (call: Call, request: Named & OfKey) => ({
        metadata: toMessage(await commands.get(call, of(request), request.key)),
      }),
    },
    list: {
      run: async (call: Call, request: Named & Parameters<typeof toPageRequest>[0]) => {
        const listed = await commands.list(call, of(request), toPageRequest(request));
        return { ...toListAnswer(listed, context), metadata: listed.page.items.map(toMessage) };
      },
    },
    remove: {
      run: async (call: Call, request: Named & OfKey) =>
        toRemovalAnswer(await commands.remove(call, of(request), request.key)),
    },
  };
}

function toMessage({ key, value, details }: Metadata) {
  return { key, value, details: toObjectDetails(details) };
}
