import { OidcTokenType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { SigningAlgorithm } from "../../../../gen/gatehouse/v1/signing_key_pb.ts";
import { UserState } from "../../../../gen/gatehouse/v1/user_pb.ts";
import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Call } from "../../../kernel/base/call.ts";
import type { FeatureContext } from "../../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  toTimestamp,
  valueName,
} from "../../messages.ts";
import { type ServiceRpcs, toForcedCall } from "../../rpc.ts";
import type { UserCommands } from "./commands.ts";
import { checkMetadataFilter, toMetadataFilter } from "./user-filter.ts";
import type { Invitation } from "./open-invitation.ts";
import { checkLanguage } from "./language-tag.ts";
import { type HumanUser, type ServiceProfile, type ServiceUser, type User, type UserAction } from "./user.ts";

type Rpcs = ServiceRpcs<typeof UserService>;

/** Maps the messages about the user itself to commands. */
export function createUserRpcs(commands: UserCommands, context: FeatureContext) {
  return { ...userRpcs(commands, context), ...stateRpcs(commands) };
}

function userRpcs(
  commands: UserCommands,
  context: FeatureContext,
): Pick<
  Rpcs,
  "addServiceUser" | "getUser" | "getMyUser" | "listUsers" | "updateHumanUser" | "updateServiceUser"
> {
  return {
    addServiceUser: {
      run: async (call, request) => {
        const { id, details } = await commands.addService(call, toServiceProfile(request));
        return { userId: id, details: toObjectDetails(details) };
      },
    },
    getUser: {
      run: async (call, request) => ({ user: toUserMessage(await commands.get(call, request.userId)) }),
    },
    getMyUser: {
      run: async (call) => ({ user: toUserMessage(await commands.get(call, call.caller.userId)) }),
    },
    listUsers: {
      check: checkMetadataFilter,
      run: async (call, request) => {
        const filter = {
          ...request,
          isInvited: request.isInvited || undefined,
          metadata: toMetadataFilter(request),
          state: valueName(UserState, request.state),
        };
        const listed = await commands.list(call, filter, toPageRequest(request));
        return { ...toListAnswer(listed, context), users: listed.page.items.map(toUserMessage) };
      },
    },
    updateHumanUser: {
      check: (request) => checkLanguage("preferred_language", request.preferredLanguage),
      run: async (call, request) =>
        toDetailsAnswer(await commands.updateHuman(toForcedCall(call, request), request.userId, request)),
    },
    updateServiceUser: {
      run: async (call, request) =>
        toDetailsAnswer(await commands.updateService(call, request.userId, toServiceProfile(request))),
    },
  };
}

function stateRpcs(
  commands: UserCommands,
): Pick<Rpcs, "deactivateUser" | "reactivateUser" | "lockUser" | "unlockUser" | "removeUser"> {
  const to = (action: UserAction) => ({
    run: async (call: Call, { userId }: { readonly userId: string }) =>
      toDetailsAnswer(await commands.changeState(call, userId, action)),
  });
  return {
    deactivateUser: to("deactivate"),
    reactivateUser: to("reactivate"),
    lockUser: to("lock"),
    unlockUser: to("unlock"),
    removeUser: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request.userId)),
    },
  };
}

function toUserMessage(user: User) {
  return {
    id: user.id,
    details: toObjectDetails(user.details),
    state: UserState[user.state],
    username: user.username,
    importedId: user.kind === "human" ? user.importedId : "",
    type:
      user.kind === "human"
        ? { case: "human" as const, value: toHumanMessage(user) }
        : { case: "service" as const, value: toServiceMessage(user) },
  };
}

function toHumanMessage(user: HumanUser) {
  return {
    givenName: user.givenName,
    familyName: user.familyName,
    displayName: user.displayName,
    preferredLanguage: user.preferredLanguage,
    email: user.email,
    isEmailVerified: user.isEmailVerified,
    phone: user.phone,
    isPhoneVerified: user.isPhoneVerified,
    hasPassword: user.hasPassword,
    passwordChangeRequired: user.isPasswordChangeRequired,
    ...(user.passwordChangeDate === undefined
      ? {}
      : { passwordChangeDate: toTimestamp(user.passwordChangeDate) }),
    ...(user.invitation === undefined ? {} : { invitation: toInvitationMessage(user.invitation) }),
  };
}

function toInvitationMessage({ sendDate, expirationDate, applicationId }: Invitation) {
  return { sendDate: toTimestamp(sendDate), expirationDate: toTimestamp(expirationDate), applicationId };
}

function toServiceMessage(user: ServiceUser) {
  return {
    name: user.name,
    description: user.description,
    accessTokenType: OidcTokenType[user.accessTokenType],
    signingAlgorithm: SigningAlgorithm[user.signingAlgorithm],
    trustMail: user.trustMail,
  };
}

function toServiceProfile(
  request: Omit<ServiceProfile, "accessTokenType" | "signingAlgorithm"> & {
    readonly accessTokenType: OidcTokenType;
    readonly signingAlgorithm: SigningAlgorithm;
  },
): ServiceProfile {
  const { username, name, description, trustMail } = request;
  return {
    username,
    name,
    description,
    trustMail,
    accessTokenType: valueName(OidcTokenType, request.accessTokenType) ?? "BEARER",
    signingAlgorithm: valueName(SigningAlgorithm, request.signingAlgorithm) ?? "RS256",
  };
}
