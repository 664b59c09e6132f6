import { createHash } from "node:crypto";
import { withMeta } from "../schemas/meta.ts";
import { type JsonMembers, type ScimResource } from "../schemas/resource.ts";
import { userType } from "../schemas/user-schema.ts";
import { showEmails } from "./emails.ts";
import { externalIdKey, keptAttributes, putKept } from "./kept-attributes.ts";
import type { StoredUser } from "./repository.ts";

/** Makes the resource of a user, as this service user sees it. */
export function toUserResource(
  { user, kept, groups }: StoredUser,
  { baseUrl, serviceUserId }: { readonly baseUrl: string; readonly serviceUserId: string },
): ScimResource {
  const externalId = kept.get(externalIdKey(serviceUserId));
  const resource: ScimResource = {
    id: user.id,
    ...(externalId === undefined ? {} : { externalId }),
    userName: user.username,
    name: { familyName: user.familyName, givenName: user.givenName },
    ...(user.displayName === "" ? {} : { displayName: user.displayName }),
    ...(user.preferredLanguage === "" ? {} : { preferredLanguage: user.preferredLanguage }),
    active: user.state !== "INACTIVE",
  };
  for (const attribute of keptAttributes) {
    const text = kept.get(attribute.key);
    if (text !== undefined) putKept(attribute, resource, text);
  }
  resource["emails"] = showEmails(resource["emails"], user.email);
  const enterprise = resource[userType.extensions[0]?.id ?? ""];
  showManager(enterprise, baseUrl);
  if (groups !== undefined && groups.length > 0)
    resource["groups"] = groups.map(({ id, name }) => ({
      value: id,
      $ref: `${baseUrl}/Groups/${id}`,
      display: name,
      type: "direct",
    }));
  const schemas = [
    userType.schema.id,
    ...userType.extensions.map(({ id }) => id).filter((id) => id in resource),
  ];
  const whole = { schemas, ...resource };
  // A digest, because groups that the user is in are shown too, and change without the user.
  const version = createHash("sha256").update(JSON.stringify(whole)).digest("base64url").slice(0, 22);
  return withMeta(userType, whole, { details: user.details, baseUrl, version });
}

function showManager(enterprise: ScimResource[string] | undefined, baseUrl: string): void {
  const manager = (enterprise as JsonMembers | undefined)?.["manager"] as JsonMembers | undefined; // as it was just put there
  if (typeof manager?.["value"] === "string")
    manager["$ref"] = `${baseUrl}/Users/${encodeURIComponent(manager["value"])}`;
}
