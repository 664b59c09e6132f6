import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ClaimTarget, PlacedClaimMapping } from "../../../identity/claim-mappings/claim-mapping.ts";
import type { LeftOutMappings } from "../../../identity/claim-mappings/left-out.ts";
import {
  isMappingGiven,
  listMappedGift,
  type MappedGift,
} from "../../../identity/claim-mappings/mapped-gift.ts";
import {
  chooseMappings,
  nothingMapped,
  readMappedClaims,
  type MappedClaims,
} from "../../../identity/claim-mappings/read-mapped-claims.ts";
import type { Consent } from "../../../identity/logins/authorizations/gift.ts";
import { type OidcClient, ownPlaceOf } from "../clients/client.ts";
import type { RequestedScopes } from "./scopes.ts";
import type { ClaimPlace } from "./told-claims.ts";

const targets: Readonly<Record<ClaimPlace, ClaimTarget>> = {
  "id-token": "ID_TOKEN",
  "access-token": "ACCESS_TOKEN",
  userinfo: "USERINFO",
  introspection: "INTROSPECTION",
};

/** Claims of mappings, and those that were left out. */
export interface ToldMappings extends Pick<MappedClaims, "claims" | "endDate"> {
  readonly leftOut: LeftOutMappings | undefined;
}

/** Makes the claims of an application's own that a place tells of a user: those that were asked for, and confirmed if somebody had to. */
export async function readToldMappings(
  tx: ReadTransaction,
  {
    place,
    userId,
    scopes,
    application,
    consent,
  }: {
    readonly place: ClaimPlace;
    readonly userId: string;
    readonly scopes: RequestedScopes;
    readonly application: OidcClient | undefined;
    readonly consent: Consent | undefined;
  },
): Promise<ToldMappings> {
  const own = ownPlaceOf(application);
  if (application === undefined || own === undefined || application.mappings.length === 0) return noneTold;
  const { project, organization } = own;
  const chosen = chooseMappings(application.mappings, targets[place], (scope) =>
    scopes.granted.includes(scope),
  );
  const { claims, endDate, leftOut } = await readMappedClaims(tx, {
    mappings: chosen.filter((mapping) => isConfirmed(mapping, consent, project.id)),
    userId,
    projectId: project.id,
    ownerId: organization.id,
    roleKeys: scopes.roleKeys,
  });
  if (leftOut.length === 0) return { claims, endDate, leftOut: undefined };
  const where = { projectId: project.id, applicationId: application.id, ownerId: organization.id };
  return { claims, endDate, leftOut: { ...where, mappings: leftOut } };
}

const noneTold: ToldMappings = { ...nothingMapped, leftOut: undefined };

/** A page that has named the project has named its roles, too. */
function isConfirmed(mapping: PlacedClaimMapping, consent: Consent | undefined, projectId: string): boolean {
  if (consent?.kind !== "confirmation") return true;
  const { gift } = consent;
  return isMappingGiven(mapping, gift, gift.claims.includes("roles") || gift.audiences.includes(projectId));
}

/** Lists what the mappings of an application give of a user by these scopes, wherever it is told. */
export async function listOidcMappedGift(
  tx: ReadTransaction,
  mappings: readonly PlacedClaimMapping[],
  {
    scopes,
    ...place
  }: {
    readonly scopes: Pick<RequestedScopes, "granted">;
    readonly homeId: string;
    readonly ownerId: string;
  },
): Promise<MappedGift> {
  const told = Object.values(targets).flatMap((target) =>
    chooseMappings(mappings, target, (scope) => scopes.granted.includes(scope)),
  );
  return await listMappedGift(tx, told, place);
}
