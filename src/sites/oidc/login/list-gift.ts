import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { AskedGift, GiftQuestion } from "../../login/login-protocol.ts";
import { listLoginApis } from "../tokens/login-apis.ts";
import { toGift } from "../tokens/gift-of-scopes.ts";
import { limitScopes } from "../tokens/reach.ts";
import { readScopesOfApplication } from "../tokens/scopes.ts";

/** Lists what an application of OpenID Connect would be given by a login at this instant. Throws for one of another kind. */
export async function listOidcGift(
  tx: ReadTransaction,
  { request, application: { application, project, organization }, user }: GiftQuestion,
): Promise<AskedGift> {
  if (application.kind !== "oidc") throw new Error("the application is not one of OpenID Connect");
  const stand = { organizationId: organization.id, projectId: project.id };
  const scopes = readScopesOfApplication(request.scopes.join(" "), application.oidc);
  const reachable = await limitScopes(tx, scopes, { homeId: user.organization.id, stand });
  const asking = { userId: user.user.id, homeId: user.organization.id, stand };
  const apis = await listLoginApis(tx, request, asking);
  return {
    gift: toGift(reachable, project, apis),
    projects: reachable.projects,
    apis: apis.map(({ api }) => api),
  };
}
