import type { JsonObject } from "@bufbuild/protobuf";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import {
  type CreationOptions,
  passkeyFlags,
  registerInSoftware,
} from "../../support/software-authenticator.ts";
import { makeApp } from "../../support/totp.ts";
import { createCaller, idOf, type World } from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";

const users = UserService.method;
const policies = LoginPolicyService.method;

/** Gives a user every way to log in besides a password, takes one of each kind away again, and lets another one stay. */
export async function liveWaysToLogIn(
  service: ConnectedService,
  { userId, idpId, organizationId }: World,
): Promise<void> {
  const { call } = service;
  const app = async () => {
    const { code } = makeApp(idOf(await call(users.registerTotp, { userId }), "secret"));
    await call(users.verifyTotp, { userId, code: code(Date.now()) });
  };
  await app();
  await call(users.generateRecoveryCodes, { userId });
  await call(users.removeRecoveryCodes, { userId });
  await call(users.generateRecoveryCodes, { userId });
  await call(users.removeTotp, { userId });
  await call(users.registerTotp, { userId });
  const passkeyId = await addPasskey({ call }, userId);
  await call(users.removePasskey, { userId, passkeyId });
  await addPasskey({ call }, userId);
  for (const externalUserId of ["gone", "there"])
    await call(users.addIdpLink, { userId, idpId, externalUserId, externalUsername: externalUserId });
  await call(users.removeIdpLink, { userId, idpId, externalUserId: "gone" });
  const inside = createCaller(service, organizationId);
  await inside(policies.updateLoginPolicy, { allowPassword: true, allowExternalIdps: true });
  await inside(policies.addIdpToLoginPolicy, { idpId });
  await inside(policies.removeIdpFromLoginPolicy, { idpId });
  await inside(policies.addIdpToLoginPolicy, { idpId });
}

async function addPasskey({ call }: Pick<ConnectedService, "call">, userId: string): Promise<string> {
  const begun = await call(users.registerPasskey, { userId, domain: "localhost" });
  const passkeyId = idOf(begun, "passkeyId");
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions; // as the message has them
  const credential = registerInSoftware(options, { flags: passkeyFlags });
  await call(users.verifyPasskey, {
    userId,
    passkeyId,
    publicKeyCredential: credential as unknown as JsonObject,
    passkeyName: "Phone",
  });
  return passkeyId;
}
