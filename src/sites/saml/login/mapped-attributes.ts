import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { isXmlText } from "../../../kernel/xml/scan.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { PlacedClaimMapping } from "../../../identity/claim-mappings/claim-mapping.ts";
import { toAttributeValues } from "../../../identity/claim-mappings/claim-value.ts";
import { markLeftOut } from "../../../identity/claim-mappings/left-out.ts";
import { chooseMappings, readMappedClaims } from "../../../identity/claim-mappings/read-mapped-claims.ts";
import { toJoinedMappings } from "../../../identity/claim-mappings/repository.ts";
import type { ToldAttribute } from "../messages/choose-attributes.ts";
import { basicNameFormat, uriNameFormat } from "../messages/identifiers.ts";
import type { KnownServiceProvider } from "../parties/service-providers.ts";

/** Lists the claims of an application's own that its assertions tell. */
export function listSamlMappings({
  claimColumns,
}: Pick<KnownServiceProvider, "claimColumns">): readonly PlacedClaimMapping[] {
  return chooseMappings(toJoinedMappings(claimColumns), "SAML", () => true);
}

/**
 * Adds the claims of the application's own to the attributes of a user. One whose name is told already is left out: the second of two
 * attributes with one name might count. Returns the events of those for which there was no room, too.
 */
export async function addMappedAttributes(
  tx: ReadTransaction,
  { application, project, organization, ...sender }: KnownServiceProvider,
  { userId, attributes }: { readonly userId: string; readonly attributes: readonly ToldAttribute[] },
): Promise<{ readonly attributes: readonly ToldAttribute[]; readonly events: readonly NewEvent[] }> {
  const taken = new Set(attributes.map(({ name }) => name.toLowerCase()));
  const mappings = listSamlMappings(sender).filter(({ name }) => !taken.has(name.toLowerCase()));
  if (mappings.length === 0) return { attributes, events: [] };
  const place = { projectId: project.id, ownerId: organization.id };
  const { claims, leftOut } = await readMappedClaims(tx, { mappings, userId, ...place, roleKeys: [] });
  const mapped = Object.entries(claims).map(([name, value]) => ({
    name,
    // SAML Core §8.2: a name with a scheme is a URI.
    nameFormat: name.includes(":") ? uriNameFormat : basicNameFormat,
    values: toAttributeValues(value).filter((text) => text !== "" && isXmlText(text)),
  }));
  return {
    attributes: [...attributes, ...mapped.filter(({ values }) => values.length > 0)],
    events: markLeftOut({ ...place, applicationId: application.id, mappings: leftOut }),
  };
}
