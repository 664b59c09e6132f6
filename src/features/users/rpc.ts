import type { JsonObject } from "@bufbuild/protobuf";
import { SecondFactorState } from "../../../gen/gatehouse/v1/second_factor_pb.ts";
import { UserState } from "../../../gen/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Call } from "../../base/call.ts";
import type { Details } from "../../base/details.ts";
import { Secret } from "../../base/secret.ts";
import type { FeatureContext } from "../context.ts";
import {
  checkTimestamp,
  toListDetails,
  toMilliseconds,
  toObjectDetails,
  toPageRequest,
  toTimestamp,
  toVerificationDetails,
} from "../messages.ts";
import { implementService, type ServiceImplementation, type ServiceRpcs } from "../rpc.ts";
import type { UserCommands } from "./commands.ts";
import { checkPhone, type PhoneVerification } from "./phones/phone.ts";
import { checkExpiration } from "./tokens/token.ts";
import type { TokenWithLimits } from "./tokens/commands.ts";
import type { SecondFactor } from "./second-factors/u2f.ts";
import { checkCredentialSize } from "../../webauthn/credential-size.ts";
import { checkLanguage, type HumanUser, type ServiceUser, type User, type UserAction } from "./user.ts";

type Rpcs = ServiceRpcs<typeof UserService>;

/** Maps the messages of UserService to commands. */
export function createUserService(commands: UserCommands, context: FeatureContext): ServiceImplementation {
  return implementService(UserService, {
    ...userRpcs(commands, context),
    ...stateRpcs(commands),
    ...phoneRpcs(commands),
    ...factorRpcs(commands, context),
    ...tokenRpcs(commands, context),
  });
}

function userRpcs(
  commands: UserCommands,
  context: FeatureContext,
): Pick<
  Rpcs,
  | "addHumanUser"
  | "addServiceUser"
  | "getUser"
  | "getMyUser"
  | "listUsers"
  | "updateHumanUser"
  | "updateServiceUser"
> {
  return {
    addHumanUser: {
      check: (request) => [
        ...checkLanguage("preferred_language", request.preferredLanguage),
        ...(request.phone === "" ? [] : checkPhone("phone", request.phone)),
      ],
      run: async (call, request) => {
        const { id, details } = await commands.addHuman(call, request);
        return { userId: id, details: toObjectDetails(details) };
      },
    },
    addServiceUser: {
      run: async (call, request) => {
        const { id, details } = await commands.addService(call, request);
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
      run: async (call, request) => {
        const { username, email } = request;
        const filter = { username, email, state: stateNames[request.state] };
        const { page, sequence } = await commands.list(call, filter, toPageRequest(request));
        return {
          details: toListDetails(page, { sequence, nowMs: context.clock.nowMs() }),
          users: page.items.map(toUserMessage),
          nextPageToken: page.nextPageToken,
        };
      },
    },
    updateHumanUser: {
      check: (request) => checkLanguage("preferred_language", request.preferredLanguage),
      run: async (call, request) => toAnswer(await commands.updateHuman(call, request.userId, request)),
    },
    updateServiceUser: {
      run: async (call, request) => toAnswer(await commands.updateService(call, request.userId, request)),
    },
  };
}

function stateRpcs(
  commands: UserCommands,
): Pick<Rpcs, "deactivateUser" | "reactivateUser" | "lockUser" | "unlockUser" | "removeUser"> {
  const to = (action: UserAction) => ({
    run: async (call: Call, { userId }: { readonly userId: string }) =>
      toAnswer(await commands.changeState(call, userId, action)),
  });
  return {
    deactivateUser: to("deactivate"),
    reactivateUser: to("reactivate"),
    lockUser: to("lock"),
    unlockUser: to("unlock"),
    removeUser: { run: async (call, request) => toAnswer(await commands.remove(call, request.userId)) },
  };
}

function phoneRpcs(
  commands: UserCommands,
): Pick<Rpcs, "setPhone" | "resendPhoneCode" | "verifyPhone" | "removePhone"> {
  return {
    setPhone: {
      check: (request) => (request.phone === "" ? [] : checkPhone("phone", request.phone)),
      run: async (call, request) => {
        const { userId, phone } = request;
        const verification = verifications[request.verification.case ?? "sendCode"];
        const { details, code } = await commands.phones.set(call, { userId, phone, verification });
        return { details: toObjectDetails(details), verificationCode: code?.reveal() ?? "" };
      },
    },
    resendPhoneCode: {
      run: async (call, request) => {
        const verification = verifications[request.verification.case ?? "sendCode"];
        const { details, code } = await commands.phones.resendCode(call, {
          userId: request.userId,
          verification,
        });
        return { details: toObjectDetails(details), verificationCode: code?.reveal() ?? "" };
      },
    },
    verifyPhone: {
      run: async (call, request) => {
        const code = new Secret(request.verificationCode);
        const details = await commands.phones.verify(call, { userId: request.userId, code });
        return { details: toVerificationDetails(details) };
      },
    },
    removePhone: {
      run: async (call, request) => toAnswer(await commands.phones.remove(call, request.userId)),
    },
  };
}

function factorRpcs(
  commands: UserCommands,
  context: FeatureContext,
): Pick<Rpcs, "registerU2f" | "verifyU2f" | "listSecondFactors" | "removeU2f"> {
  return {
    registerU2f: {
      run: async (call, request) => {
        const { id, details, options } = await commands.u2f.register(call, request);
        return {
          u2fId: id,
          details: toObjectDetails(details),
          publicKeyCredentialCreationOptions: toJsonObject(options),
        };
      },
    },
    verifyU2f: {
      check: (request) => checkCredentialSize(request.publicKeyCredential),
      run: async (call, request) => {
        const details = await commands.u2f.verify(call, {
          userId: request.userId,
          u2fId: request.u2fId,
          credential: request.publicKeyCredential,
          name: request.tokenName,
        });
        return { details: toVerificationDetails(details) };
      },
    },
    listSecondFactors: {
      run: async (call, request) => {
        const { page, sequence } = await commands.u2f.list(call, request.userId, toPageRequest(request));
        return {
          details: toListDetails(page, { sequence, nowMs: context.clock.nowMs() }),
          secondFactors: page.items.map(toSecondFactorMessage),
          nextPageToken: page.nextPageToken,
        };
      },
    },
    removeU2f: { run: async (call, request) => toAnswer(await commands.u2f.remove(call, request)) },
  };
}

function tokenRpcs(
  commands: UserCommands,
  context: FeatureContext,
): Pick<Rpcs, "addPersonalAccessToken" | "listPersonalAccessTokens" | "removePersonalAccessToken"> {
  return {
    addPersonalAccessToken: {
      check: ({ expirationDate }) => [
        ...checkTimestamp("expiration_date", expirationDate),
        ...checkExpiration(toMilliseconds(expirationDate), context.clock.nowMs()),
      ],
      run: async (call, request) => {
        const { id, details, token } = await commands.tokens.add(call, {
          userId: request.userId,
          expirationMs: toMilliseconds(request.expirationDate),
        });
        return { tokenId: id, token: token.reveal(), details: toObjectDetails(details) };
      },
    },
    listPersonalAccessTokens: {
      run: async (call, request) => {
        const { page, sequence } = await commands.tokens.list(call, request.userId, toPageRequest(request));
        return {
          details: toListDetails(page, { sequence, nowMs: context.clock.nowMs() }),
          personalAccessTokens: page.items.map(toTokenMessage),
          nextPageToken: page.nextPageToken,
        };
      },
    },
    removePersonalAccessToken: {
      run: async (call, request) => toAnswer(await commands.tokens.remove(call, request)),
    },
  };
}

/** Returns what a change answers that tells nothing but where the object stands. */
function toAnswer(details: Details) {
  return { details: toObjectDetails(details) };
}

const verifications = {
  sendCode: "send-code",
  returnCode: "return-code",
  isVerified: "is-verified",
} as const satisfies Record<string, PhoneVerification>;

/** Leaves out what is undefined, which a Struct cannot hold. */
function toJsonObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject; // the text of an object is that of an object
}

const userStates: Readonly<Record<User["state"], UserState>> = {
  ACTIVE: UserState.ACTIVE,
  INACTIVE: UserState.INACTIVE,
  LOCKED: UserState.LOCKED,
};

const stateNames: Readonly<Record<UserState, User["state"] | undefined>> = {
  [UserState.UNSPECIFIED]: undefined,
  [UserState.ACTIVE]: "ACTIVE",
  [UserState.INACTIVE]: "INACTIVE",
  [UserState.LOCKED]: "LOCKED",
};

function toUserMessage(user: User) {
  return {
    id: user.id,
    details: toObjectDetails(user.details),
    state: userStates[user.state],
    username: user.username,
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
  };
}

function toServiceMessage(user: ServiceUser) {
  return { name: user.name, description: user.description };
}

function toSecondFactorMessage(factor: SecondFactor) {
  return {
    id: factor.id,
    details: toObjectDetails(factor.details),
    state: factor.state === "READY" ? SecondFactorState.READY : SecondFactorState.NOT_READY,
    name: factor.name,
    domain: factor.domain,
  };
}

function toTokenMessage({ id, details, expirationMs, isLimited, leftOutMembershipIds }: TokenWithLimits) {
  return {
    id,
    details: toObjectDetails(details),
    isLimited,
    leftOutMembershipIds: [...leftOutMembershipIds],
    ...(expirationMs === undefined ? {} : { expirationDate: toTimestamp(expirationMs * 1000) }),
  };
}
