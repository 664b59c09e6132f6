import type { JsonObject } from "@bufbuild/protobuf";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { type CreationOptions, registerInSoftware } from "../../support/software-authenticator.ts";
import { createHumanUser, createServiceUser, idOf, nextPhone, publicKeySample } from "../../support/world.ts";
import {
  type EffectCase,
  type Ground,
  type Prepared,
  type Read,
  type Seen,
  seenAsId,
} from "./field-effect.ts";

const users = UserService.method;

const messageReason = "is a message to the phone; test/features/users/phones reads it";

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

/** The rpcs on users that add something or change it by what their fields say. */
export const userEffectCases: Readonly<Record<string, EffectCase>> = {
  AddHumanUser: { prepare: async () => ({ read: (answer) => ofUser(idOf(answer, "userId")) }) },
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
