import type { JsonObject } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { TestService } from "../../support/service.ts";
import {
  type CreationOptions,
  passkeyFlags,
  registerInSoftware,
} from "../../support/software-authenticator.ts";
import { canaries } from "../../support/canaries.ts";
import { fromBase32, generateRecoveryCodes, registerTotp } from "../../support/totp.ts";
import { createCaller, idOf } from "../../support/world.ts";

/** What somebody can log in with, and where it lies. */
export interface FurnishedLogin {
  /** Values that lie in the tables in clear. Those of credentials that stand in events are no personal data. */
  readonly stored: Readonly<Record<string, string>>;
  /** Tables that mention the user for it. */
  readonly tables: readonly string[];
  /** Kinds of what lies among the secrets. */
  readonly secrets: readonly string[];
}

/** Gives a user everything to log in with besides a password, and codes that wait. */
export async function furnish(
  service: TestService,
  { userId, idpId }: { readonly userId: string; readonly idpId: string },
): Promise<FurnishedLogin> {
  await addKey(service, userId);
  await addPasskey(service, userId);
  const app = await registerTotp(service, userId);
  await generateRecoveryCodes(service, userId);
  const { addIdpLink, setEmail, setPhone, requestPasswordReset } = UserService.method;
  const returned = { case: "returnCode", value: {} } as const;
  const [email, phone] = [`zq8-${userId}@zq8.example`, "+41765550199"];
  await service.call(setEmail, { userId, email, verification: returned });
  await service.call(setPhone, { userId, phone, verification: returned });
  const identity = { externalUserId: subjectOf(userId), externalUsername: `${subjectOf(userId)} there` };
  await service.call(addIdpLink, { userId, idpId, ...identity });
  await service.call(requestPasswordReset, { userId, medium: returned });
  canaries.add("secret of an app", Buffer.from(fromBase32(app.secret)));
  return {
    stored: {
      email,
      phone,
      "name of the key": "zq8 security key",
      "name of the passkey": "zq8 laptop",
      "subject at a provider": identity.externalUserId,
      "name at a provider": identity.externalUsername,
    },
    tables: ["second_factors", "passkeys", "recovery_codes", "idp_links", "used_totp_steps"],
    secrets: ["email-code", "reset-code", "phone-code", "totp", "recovery-codes"],
  };
}

const subjectOf = (userId: string) => `zq8-subject-${userId}`;

/** Makes an identity provider of the organization, and returns its id. */
export async function addProvider(service: TestService, organizationId: string): Promise<string> {
  const call = createCaller(service, organizationId);
  const added = await call(IdentityProviderService.method.addOidcIdentityProvider, {
    name: "Directory",
    issuer: "https://accounts.example.com",
    clientId: "lamp",
    clientSecret: "secret of the client",
  });
  return idOf(added, "idpId");
}

async function addKey(service: TestService, userId: string): Promise<void> {
  const registered = await service.call(UserService.method.registerU2f, { userId });
  const options = registered["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const credential = registerInSoftware(options, {});
  await service.call(UserService.method.verifyU2f, {
    userId,
    u2fId: idOf(registered, "u2fId"),
    publicKeyCredential: credential as unknown as JsonObject,
    tokenName: "zq8 security key",
  });
}

async function addPasskey(service: TestService, userId: string): Promise<void> {
  const begun = await service.call(UserService.method.registerPasskey, { userId });
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const credential = registerInSoftware(options, { flags: passkeyFlags });
  await service.call(UserService.method.verifyPasskey, {
    userId,
    passkeyId: idOf(begun, "passkeyId"),
    publicKeyCredential: credential as unknown as JsonObject,
    passkeyName: "zq8 laptop",
  });
}
