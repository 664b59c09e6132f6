import type { AddHumanUserRequest, UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { toObjectDetails } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import type { EmailVerification } from "../emails/email.ts";
import { checkPhone } from "../user/phone-number.ts";
import { checkLanguage } from "../user/language-tag.ts";
import { checkNewPerson, type FirstPassword, type NewPerson } from "./addition.ts";
import type { AdditionCommands } from "./commands.ts";

/** Maps the messages about people who are added to commands. */
export function createAdditionRpcs(
  commands: AdditionCommands,
): Pick<ServiceRpcs<typeof UserService>, "addHumanUser"> {
  return {
    addHumanUser: {
      check: (request) => [
        ...checkLanguage("preferred_language", request.preferredLanguage),
        ...(request.phone === "" ? [] : checkPhone("phone", request.phone)),
        ...checkNewPerson(toNewPerson(request)),
      ],
      prepareItem: (call, { firstPassword }) =>
        commands.prepareItem(call, { firstPassword: toFirstPassword(firstPassword) }),
      run: async (call, request) => {
        const { id, details, code } = await commands.addHuman(call, toNewPerson(request));
        return { userId: id, details: toObjectDetails(details), verificationCode: code?.reveal() ?? "" };
      },
    },
  };
}

function toNewPerson(request: AddHumanUserRequest): NewPerson {
  const {
    username,
    givenName,
    familyName,
    displayName,
    preferredLanguage,
    email,
    phone,
    invite,
    importedId,
  } = request;
  return {
    username,
    givenName,
    familyName,
    displayName,
    preferredLanguage,
    email,
    phone,
    importedId,
    firstPassword: toFirstPassword(request.firstPassword),
    isPasswordChangeRequired: request.passwordChangeRequired,
    emailVerification: toVerification(request.emailVerification),
    invite,
  };
}

function toFirstPassword(given: AddHumanUserRequest["firstPassword"]): FirstPassword | undefined {
  switch (given.case) {
    case undefined:
      return undefined;
    case "password":
      return { kind: "password", password: new Secret(given.value) };
    case "passwordHash":
      return { kind: "hash", encoded: new Secret(given.value) };
  }
}

function toVerification(given: AddHumanUserRequest["emailVerification"]): EmailVerification | undefined {
  switch (given.case) {
    case undefined:
      return undefined;
    case "sendCode":
      return "send-code";
    case "returnCode":
      return "return-code";
    case "isVerified":
      return "is-verified";
  }
}
