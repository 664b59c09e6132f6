import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ExternalClient } from "../../../identity/applications/oidc/oidc-application.ts";
import { hasLoopbackHost, parseHttpUrl } from "../../../kernel/base/url.ts";
import type { AskedGift, GiftQuestion, Stranger } from "../../login/login-protocol.ts";
import { listLoginApis } from "../tokens/login-apis.ts";
import { toGift } from "../tokens/gift-of-scopes.ts";
import { externalStand, limitScopes } from "../tokens/reach.ts";
import { readScopesOfApplication } from "../tokens/scopes.ts";
import { listClaimScopes } from "../../../identity/claim-mappings/claim-mapping.ts";
import { findJoinedMappings } from "../../../identity/claim-mappings/repository.ts";
import { listOidcMappedGift } from "../tokens/mapped-claims.ts";
import { fromLoginData } from "./login-data.ts";

/** Lists what an application of OpenID Connect would be given by a login at this instant. Throws for one of another kind. */
export async function listOidcGift(
  tx: ReadTransaction,
  { request, application: { application, project, organization }, user }: GiftQuestion,
): Promise<AskedGift> {
  if (application.kind !== "oidc") throw new Error("the application is not one of OpenID Connect");
  const { external } = application.oidc;
  const stand =
    external === undefined ? { organizationId: organization.id, projectId: project.id } : externalStand;
  const place = { projectId: project.id, applicationId: application.id };
  const mappings = external === undefined ? await findJoinedMappings(tx, place) : [];
  const rights = { ...application.oidc, claimScopes: listClaimScopes(mappings) };
  const scopes = readScopesOfApplication(request.scopes.join(" "), rights);
  const reachable = await limitScopes(tx, scopes, { homeId: user.organization.id, stand });
  const asking = { userId: user.user.id, homeId: user.organization.id, stand };
  const apis = await listLoginApis(tx, request, asking);
  return {
    gift: toGift(reachable, external === undefined ? project : undefined, {
      apis,
      mapped: await listOidcMappedGift(tx, mappings, {
        scopes: reachable.scopes,
        homeId: user.organization.id,
        ownerId: organization.id,
      }),
    }),
    projects: reachable.projects,
    apis: apis.map(({ api }) => api),
    stranger: external && toStranger(application.id, external, fromLoginData(request).redirectUri),
  };
}

/** Says what users can know of a client that nobody has created. */
function toStranger(id: string, { kind, sinceMs }: ExternalClient, redirectUri: string): Stranger {
  const target = parseHttpUrl(redirectUri);
  return {
    host: kind === "METADATA_DOCUMENT" ? parseHttpUrl(id)?.host : undefined,
    returnsTo: target?.host ?? redirectUri.slice(0, redirectUri.indexOf(":") + 1),
    isOnDevice: target === undefined || hasLoopbackHost(target),
    sinceMs,
  };
}
