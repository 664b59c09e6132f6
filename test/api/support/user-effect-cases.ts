import type { JsonObject } from "@bufbuild/protobuf";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { logIn } from "../../support/logins.ts";
import {
  type CreationOptions,
  registerInSoftware,
  passkeyFlags,
} from "../../support/software-authenticator.ts";
import { beginTotp } from "../../support/totp.ts";
import {
  createCaller,
  createHumanUser,
  createTrustedApplication,
  createServiceUser,
  idOf,
  nextPhone,
  passwordHashSample,
  publicKeySample,
  uniqueName,
} from "../../support/world.ts";
import {
  type EffectCase,
  type Ground,
  type Prepared,
  type Read,
  type Seen,
  seenAsId,
} from "./field-effect.ts";

const users = UserService.method;

const messageReason = "is a message; test/identity/people/phones, emails and passwords read it";

const ofUser = (userId: string): Read => [users.getUser, { userId }];
const newUser = async (kind: "human" | "service", ground: Ground): Promise<Prepared> => {
  const { organizationId } = ground.world;
  const id =
    kind === "human"
      ? await createHumanUser(ground.service, organizationId)
      : (await createServiceUser(ground.service, organizationId)).id;
  return { given: { user_id: id }, read: () => ofUser(id) };
};
const userCase = (kind: "human" | "service"): EffectCase => ({ prepare: (ground) => newUser(kind, ground) });

const newPhone = async (ground: Ground) => {
  const userId = await createHumanUser(ground.service, ground.world.organizationId);
  const set = await ground.service.call(users.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "returnCode", value: {} },
  });
  return { userId, code: idOf(set, "verificationCode") };
};
const codeIsReturned = ({ answer }: Seen) => idOf(answer, "verificationCode") !== "";
const phoneIsVerified = ({ read }: Seen) => JSON.stringify(read).includes('"isPhoneVerified":true');

const emailIsVerified = ({ read }: Seen) => JSON.stringify(read).includes('"isEmailVerified":true');
const hasPassword = ({ read }: Seen) => JSON.stringify(read).includes('"hasPassword":true');
const mustChange = ({ read }: Seen) => JSON.stringify(read).includes('"passwordChangeRequired":true');

const isInvited = ({ read }: Seen) => JSON.stringify(read).includes('"invitation":{');
const uniqueEmail = () => `${uniqueName("ada").replaceAll(" ", "-")}@example.com`;
const templateOf = ({ url }: Pick<Ground["service"], "url">) =>
  `http://localhost:${new URL(url).port}/page?code={code}`;

/** The rpcs on users that add something or change it by what their fields say. */
export const userEffectCases: Readonly<Record<string, EffectCase>> = {
  AddHumanUser: {
    async prepare({ service, world }) {
      const given = {
        email: uniqueEmail(),
        password: "a long phrase of words",
        password_hash: passwordHashSample,
        "invite.url_template": templateOf(service),
        "invite.application_id": world.appId,
      };
      return { given, read: (answer) => ofUser(idOf(answer, "userId")) };
    },
    alternatives: [
      ["invite"],
      ["password", "password_hash", "password_change_required", "send_code", "return_code"],
    ],
    seenAs: {
      password: hasPassword,
      password_hash: hasPassword,
      password_change_required: mustChange,
      return_code: codeIsReturned,
      is_verified: emailIsVerified,
      invite: isInvited,
    },
    unseen: { send_code: messageReason, "invite.url_template": messageReason },
  },
  ResendInvitation: {
    async prepare({ service, world }) {
      const inside = createCaller(service, world.organizationId);
      const added = await inside(users.addHumanUser, {
        username: uniqueName("invited"),
        givenName: "Ada",
        familyName: "Lovelace",
        email: uniqueEmail(),
      });
      const userId = idOf(added, "userId");
      const given = {
        user_id: userId,
        "invite.url_template": templateOf(service),
        "invite.application_id": world.appId,
      };
      return { given, read: () => ofUser(userId) };
    },
    seenAs: { invite: isInvited },
    unseen: { "invite.url_template": messageReason },
  },
  AddServiceUser: { prepare: async () => ({ read: (answer) => ofUser(idOf(answer, "userId")) }) },
  UpdateHumanUser: userCase("human"),
  UpdateServiceUser: userCase("service"),
  SetPhone: {
    ...userCase("human"),
    seenAs: { return_code: codeIsReturned, is_verified: phoneIsVerified },
    unseen: { send_code: messageReason },
  },
  ResendPhoneCode: {
    async prepare(ground) {
      const { userId } = await newPhone(ground);
      return { given: { user_id: userId }, read: () => ofUser(userId) };
    },
    seenAs: { return_code: codeIsReturned },
    unseen: { send_code: messageReason },
  },
  VerifyPhone: {
    async prepare(ground) {
      const { userId, code } = await newPhone(ground);
      return { given: { user_id: userId, verification_code: code }, read: () => ofUser(userId) };
    },
    seenAs: { verification_code: phoneIsVerified },
  },
  SetEmail: {
    ...userCase("human"),
    seenAs: { return_code: codeIsReturned, is_verified: emailIsVerified },
    unseen: { send_code: messageReason },
  },
  ResendEmailCode: {
    ...userCase("human"),
    seenAs: { return_code: codeIsReturned },
    unseen: { send_code: messageReason },
  },
  VerifyEmail: {
    async prepare({ service, world }) {
      const userId = await createHumanUser(service, world.organizationId);
      const verification = { case: "returnCode", value: {} } as const;
      const set = await service.call(users.setEmail, { userId, email: "ada@example.com", verification });
      const code = idOf(set, "verificationCode");
      return { given: { user_id: userId, verification_code: code }, read: () => ofUser(userId) };
    },
    seenAs: { verification_code: emailIsVerified },
  },
  SetPassword: {
    async prepare(ground, without) {
      const { service, world } = ground;
      const userId = await createHumanUser(service, world.organizationId);
      const password = uniqueName("a long phrase");
      await service.call(users.setPassword, { userId, password });
      const medium = { case: "returnCode", value: {} } as const;
      const made = await service.call(users.requestPasswordReset, { userId, medium });
      const proof: JsonObject = without.includes("current_password")
        ? { verification_code: idOf(made, "verificationCode") }
        : { current_password: password };
      const applicationId = await createTrustedApplication(service, world);
      const { token } = await logIn(service.context, { userId, applicationId });
      return { given: { user_id: userId, ...proof }, token, read: () => ofUser(userId) };
    },
    seenAs: {
      password: hasPassword,
      change_required: mustChange,
      current_password: mustChange,
      verification_code: mustChange,
    },
  },
  SetPasswordHash: {
    async prepare(ground) {
      const { given, read } = await newUser("human", ground);
      return { given: { ...given, encoded_hash: passwordHashSample }, read };
    },
    seenAs: { encoded_hash: hasPassword, change_required: mustChange },
  },
  RequestPasswordReset: {
    async prepare(ground) {
      const { given, read } = await newUser("human", ground);
      return { given: { ...given, "send_link.url_template": templateOf(ground.service) }, read };
    },
    seenAs: { return_code: codeIsReturned },
    unseen: { send_link: messageReason, "send_link.url_template": messageReason },
  },
  RegisterU2f: {
    async prepare({ service, world, secondDomain }) {
      const userId = await createHumanUser(service, world.organizationId);
      return {
        given: { user_id: userId, domain: secondDomain },
        read: () => [users.listSecondFactors, { userId }],
      };
    },
  },
  VerifyU2f: {
    async prepare({ service, world }) {
      const userId = await createHumanUser(service, world.organizationId);
      const registered = await service.call(users.registerU2f, { userId });
      const options = registered["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
      const credential = registerInSoftware(options) as unknown as JsonObject;
      return {
        given: { user_id: userId, u2f_id: idOf(registered, "u2fId"), public_key_credential: credential },
        read: () => [users.listSecondFactors, { userId }],
      };
    },
    seenAs: {
      u2f_id: seenAsId,
      token_name: ({ value, read }) => JSON.stringify(read).includes(`"name":${JSON.stringify(value)}`),
      public_key_credential: ({ read }) => JSON.stringify(read).includes('"SECOND_FACTOR_STATE_READY"'),
    },
  },
  VerifyTotp: {
    async prepare({ service, world }) {
      const userId = await createHumanUser(service, world.organizationId);
      const { code } = await beginTotp(service, userId);
      const given = { user_id: userId, code: code(service.clock.nowMs()) };
      return { given, read: () => [users.listSecondFactors, { userId }] };
    },
    seenAs: { code: ({ read }) => JSON.stringify(read).includes('"SECOND_FACTOR_STATE_READY"') },
  },
  AddIdpLink: {
    async prepare({ service, world }) {
      const userId = await createHumanUser(service, world.organizationId);
      return {
        given: { user_id: userId, idp_id: world.idpId },
        read: () => [users.listIdpLinks, { userId }],
      };
    },
  },
  RegisterPasskey: {
    async prepare({ service, world, secondDomain }) {
      const userId = await createHumanUser(service, world.organizationId);
      return {
        given: { user_id: userId, domain: secondDomain },
        read: () => [users.listPasskeys, { userId }],
      };
    },
  },
  VerifyPasskey: {
    async prepare({ service, world }) {
      const userId = await createHumanUser(service, world.organizationId);
      const registered = await service.call(users.registerPasskey, { userId });
      const options = registered["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
      const credential = registerInSoftware(options, { flags: passkeyFlags }) as unknown as JsonObject;
      return {
        given: {
          user_id: userId,
          passkey_id: idOf(registered, "passkeyId"),
          public_key_credential: credential,
        },
        read: () => [users.listPasskeys, { userId }],
      };
    },
    seenAs: {
      passkey_id: seenAsId,
      passkey_name: ({ value, read }) => JSON.stringify(read).includes(`"name":${JSON.stringify(value)}`),
      public_key_credential: ({ read }) => JSON.stringify(read).includes('"PASSKEY_STATE_READY"'),
    },
  },
  AddServiceUserKey: {
    async prepare({ service, world }) {
      const { id } = await createServiceUser(service, world.organizationId);
      return {
        given: { user_id: id, public_key: Buffer.from(publicKeySample).toString("base64") },
        read: () => [users.listServiceUserKeys, { userId: id }],
      };
    },
    seenAs: { public_key: ({ answer }) => answer["keyDetails"] === "" },
  },
  AddPersonalAccessToken: {
    async prepare({ service, world }) {
      const { id } = await createServiceUser(service, world.organizationId);
      return { given: { user_id: id }, read: () => [users.listPersonalAccessTokens, { userId: id }] };
    },
  },
};
