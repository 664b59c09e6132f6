import type { JsonObject } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { canaries } from "../../support/canaries.ts";
import { answerOf, type TestService } from "../../support/service.ts";
import {
  type CreationOptions,
  passkeyFlags,
  registerInSoftware,
} from "../../support/software-authenticator.ts";
import { registerTotp } from "../../support/totp.ts";
import { createCaller, createHumanUser, idOf, jwtConfig, uniqueName } from "../../support/world.ts";

const users = UserService.method;
const providers = IdentityProviderService.method;
const memberships = MembershipService.method;

/** The scope of roles on the instance. */
export const instance = { case: "instance", value: true } as const;

/** What makes people of an organization, who may hold a role on the instance, and their ways to sign in. */
export type Holders = ReturnType<typeof createHolders>;

/** Creates what makes people of the organization and their ways to sign in, as the administrator. They begin without any. */
export function createHolders(service: TestService, organizationId: string) {
  let made: string[] = [];
  const inside = createCaller(service, organizationId);
  const person = async () => {
    const userId = await createHumanUser(service, organizationId);
    made.push(userId);
    return userId;
  };
  const give = (userId: string, roles = ["INSTANCE_VIEWER"]) =>
    service.call(memberships.addMembership, { userId, scope: instance, roles });
  const holder = async () => {
    const userId = await person();
    await give(userId);
    return userId;
  };
  const newPassword = () => {
    const password = uniqueName("password of a test");
    canaries.add("password", password);
    return password;
  };
  const setPassword = async (userId: string, token = service.adminToken) =>
    answerOf(
      await service.clients.json.call(users.setPassword, { userId, password: newPassword() }, { token }),
    );
  const setAddress = (userId: string) =>
    service.call(users.setEmail, {
      userId,
      email: "verified@example.com",
      verification: { case: "isVerified", value: true },
    });

  async function addPasskey(userId: string): Promise<string> {
    const begun = await service.call(users.registerPasskey, { userId });
    const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
    const passkeyId = idOf(begun, "passkeyId");
    const publicKeyCredential = registerInSoftware(options, { flags: passkeyFlags }) as unknown as JsonObject;
    await service.call(users.verifyPasskey, { userId, passkeyId, publicKeyCredential, passkeyName: "Phone" });
    return passkeyId;
  }

  async function addKey(userId: string): Promise<string> {
    const begun = await service.call(users.registerU2f, { userId });
    const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
    const u2fId = idOf(begun, "u2fId");
    const publicKeyCredential = registerInSoftware(options) as unknown as JsonObject;
    await service.call(users.verifyU2f, { userId, u2fId, publicKeyCredential, tokenName: "Key" });
    return u2fId;
  }

  /** Links a holder of a role to an identity at a new provider of the organization, and gives them a factor of their own. */
  async function addLinked() {
    const userId = await holder();
    const config = { case: "jwt", value: jwtConfig } as const;
    const idp = await inside(providers.createIdentityProvider, { name: uniqueName("Provider"), config });
    const idpId = idOf(idp, "idpId");
    const link = { userId, idpId, externalUserId: uniqueName("outside") };
    await service.call(users.addIdpLink, { ...link, externalUsername: "ada" });
    await registerTotp(service, userId);
    return { userId, idpId, link };
  }
  return {
    person,
    give,
    holder,
    setPassword,
    setAddress,
    addPasskey,
    addKey,
    addLinked,
    async removeAll() {
      for (const userId of made) await service.call(users.removeUser, { userId });
      made = [];
    },
  };
}
