import { groupType } from "../schemas/group-schema.ts";
import { withMeta } from "../schemas/meta.ts";
import type { ScimResource } from "../schemas/resource.ts";
import type { StoredGroup } from "./repository.ts";

/** Makes the resource of a group. Its version is its sequence, which moves with its members too. */
export function toGroupResource({ group, members = [] }: StoredGroup, baseUrl: string): ScimResource {
  const { id, name, externalId, details } = group;
  const resource: ScimResource = {
    schemas: [groupType.schema.id],
    id,
    ...(externalId === "" ? {} : { externalId }),
    displayName: name,
  };
  if (members.length > 0)
    resource["members"] = members.map((member) => ({
      value: member.id,
      $ref: `${baseUrl}/${member.kind}s/${member.id}`,
      type: member.kind,
    }));
  return withMeta(groupType, resource, { details, baseUrl, version: String(details.sequence) });
}
