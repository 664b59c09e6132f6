import type { JsonObject } from "@bufbuild/protobuf";
import { SecondFactorState } from "../../../gen/gatehouse/v1/second_factor_pb.ts";
import { UserState } from "../../../gen/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { FieldViolation } from "../../base/problem.ts";
import { Secret } from "../../base/secret.ts";
import type { FeatureContext } from "../context.ts";
import {
  checkTimestamp,
  toListDetails,
  toMilliseconds,
  toObjectDetails,
  toPageRequest,
  toVerificationDetails,
} from "../messages.ts";
import { implementService, type ServiceImplementation, type ServiceRpcs } from "../rpc.ts";
import type { UserCommands } from "./commands.ts";
import { checkPhone, type PhoneVerification } from "./phone.ts";
import { checkExpiration } from "./token.ts";
import type { SecondFactor } from "./u2f.ts";
import { checkLanguage, type HumanUser, type ServiceUser, type User } from "./user.ts";

type Rpcs = ServiceRpcs<typeof UserService>;

/** Maps the messages of UserService to commands. */
export function createUserService(commands: UserCommands, context: FeatureContext): ServiceImplementation {
  return implementService(UserService, {
    ...userRpcs(commands),
    ...phoneRpcs(commands),
    ...factorRpcs(commands, context),
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
  });
}

function userRpcs(
  commands: UserCommands,
): Pick<Rpcs, "addHumanUser" | "addServiceUser" | "getUser" | "getMyUser"> {
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
  };
}

function phoneRpcs(commands: UserCommands): Pick<Rpcs, "setPhone" | "resendPhoneCode" | "verifyPhone"> {
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
  };
}

function factorRpcs(
  commands: UserCommands,
  context: FeatureContext,
): Pick<Rpcs, "registerU2f" | "verifyU2f" | "listSecondFactors"> {
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
  };
}

const verifications = {
  sendCode: "send-code",
  returnCode: "return-code",
  isVerified: "is-verified",
} as const satisfies Record<string, PhoneVerification>;

const leastCredentialLength = 55;
const mostCredentialLength = 1_048_576;

/** Counts the code points of the compact JSON text. An absent credential is reported by the rule of the field. */
function checkCredentialSize(credential: JsonObject | undefined): readonly FieldViolation[] {
  if (credential === undefined) return [];
  const text = JSON.stringify(credential);
  const length = text.length > 2 * mostCredentialLength ? text.length : countCodePoints(text);
  if (length >= leastCredentialLength && length <= mostCredentialLength) return [];
  const bounds = `${leastCredentialLength} to ${mostCredentialLength} characters`;
  return [{ field: "public_key_credential", description: `must have ${bounds} as compact JSON` }];
}

function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) count--;
  return count;
}

/** Leaves out what is undefined, which a Struct cannot hold. */
function toJsonObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject; // the text of an object is that of an object
}

const userStates: Readonly<Record<User["state"], UserState>> = {
  ACTIVE: UserState.ACTIVE,
  INACTIVE: UserState.INACTIVE,
  LOCKED: UserState.LOCKED,
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
