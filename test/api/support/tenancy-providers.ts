import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { TestService } from "../../support/service.ts";
import { createCaller, idOf, jwtConfig, uniqueName } from "../../support/world.ts";

/** Makes an identity provider and returns its id. */
export async function createProvider(service: TestService, organization: string) {
  const add = createCaller(service, organization);
  return idOf(
    await add(IdentityProviderService.method.createIdentityProvider, {
      name: uniqueName("Provider"),
      config: { case: "jwt", value: jwtConfig },
    }),
    "idpId",
  );
}

/** Makes an identity provider that logins offer, with an identity that is linked to the user. The organization has a branding, too. */
/** Makes an identity provider that logins offer, with an identity that is linked to the user. The organization has texts of its own. */
export async function createLink(service: TestService, organization: string, userId: string) {
  const inside = createCaller(service, organization);
  const idpId = await createProvider(service, organization);
  const externalUserId = `${userId}7`;
  await service.call(UserService.method.addIdpLink, { userId, idpId, externalUserId });
  await inside(LoginPolicyService.method.updateLoginPolicy, { allowPassword: true, allowExternalIdps: true });
  await inside(LoginPolicyService.method.addIdpToLoginPolicy, { idpId });
  await inside(LabelPolicyService.method.updateLabelPolicy, {});
  await inside(CustomTextService.method.setCustomTexts, { language: "de" });
  return { identity_provider: idpId, idp_link: externalUserId, login_policy_idp: idpId };
}
