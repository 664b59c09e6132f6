import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type {
  SamlAttributeSource,
  SamlNameIdFormat,
} from "../../../identity/applications/saml/saml-settings.ts";
import { type GiftClaim, giftClaims } from "../../../identity/logins/authorizations/gift.ts";
import type { AskedGift, GiftQuestion } from "../../login/login-protocol.ts";
import { listWantedSources } from "../messages/choose-attributes.ts";
import { chooseNameIdFormat } from "../messages/choose-name-id.ts";
import { SamlRefusal } from "../messages/status.ts";
import type { KnownServiceProvider, ServiceProviders } from "../parties/service-providers.ts";
import { listMappedGift } from "../../../identity/claim-mappings/mapped-gift.ts";
import { listSamlMappings } from "./mapped-attributes.ts";
import { fromSamlLoginData, type SamlLoginData } from "./login-data.ts";

/** What a page calls each attribute, and each format of a name. */
const claimOfSource: Readonly<Record<SamlAttributeSource, GiftClaim>> = {
  Email: "email",
  SurName: "profile",
  FirstName: "profile",
  FullName: "profile",
  UserName: "identity",
  UserID: "identity",
  Roles: "roles",
};
const claimOfFormat: Readonly<Record<SamlNameIdFormat, GiftClaim>> = {
  PERSISTENT: "identity",
  TRANSIENT: "identity",
  EMAIL_ADDRESS: "email",
  USERNAME: "identity",
};

/** Lists what an assertion would tell the service provider at this instant. Assertions are for nobody else, and nothing comes later. */
export async function listSamlGift(
  serviceProviders: ServiceProviders,
  tx: ReadTransaction,
  { request, application, user }: GiftQuestion,
): Promise<AskedGift> {
  const sender = await serviceProviders.findById(tx, application.application.id);
  const claims = sender === undefined ? [] : listClaims(sender, fromSamlLoginData(request));
  const mapped = await listMappedGift(tx, sender === undefined ? [] : listSamlMappings(sender), {
    homeId: user.organization.id,
    ownerId: application.organization.id,
  });
  const told = new Set<GiftClaim>(["identity", ...claims, ...mapped.claims]);
  const learned = { claims: giftClaims.filter((claim) => told.has(claim)), metadata: mapped.metadata };
  const gift = { ...learned, audiences: [], apiScopes: [] };
  return { gift: { ...gift, offlineAccess: false }, projects: [] };
}

function listClaims(
  { serviceProvider, application, project }: KnownServiceProvider,
  { request }: SamlLoginData,
): readonly GiftClaim[] {
  const { settings } = application.saml;
  const index = request?.attributeServiceIndex;
  const sources = listWantedSources({ serviceProvider, settings, index });
  const told = sources.filter((source) => source !== "Roles" || project.projectRoleAssertion);
  const format = findFormat({ policy: request?.nameIdPolicy, settings, serviceProvider });
  return [
    ...told.map((source) => claimOfSource[source]),
    ...(format === undefined ? [] : [claimOfFormat[format]]),
  ];
}

/** A request whose name cannot be made gets no assertion. */
function findFormat(wish: Parameters<typeof chooseNameIdFormat>[0]): SamlNameIdFormat | undefined {
  try {
    return chooseNameIdFormat(wish);
  } catch (error) {
    if (error instanceof SamlRefusal) return undefined;
    throw error;
  }
}
