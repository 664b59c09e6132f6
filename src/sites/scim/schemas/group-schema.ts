import type { ResourceType } from "./attribute.ts";

/** Groups of the organization. */
export const groupType: ResourceType = {
  name: "Group",
  endpoint: "Groups",
  description: "Group",
  extensions: [],
  schema: {
    id: "urn:ietf:params:scim:schemas:core:2.0:Group",
    name: "Group",
    description: "Group",
    attributes: [
      {
        name: "displayName",
        type: "string",
        description: "The name, unique in the organization.",
        required: true,
        uniqueness: "server",
      },
      {
        name: "members",
        type: "complex",
        description: "The direct members: users, and groups whose members are members too.",
        multiValued: true,
        subAttributes: [
          {
            name: "value",
            type: "string",
            description: "Id of the member.",
            caseExact: true,
            mutability: "immutable",
          },
          {
            name: "$ref",
            type: "reference",
            description: "URL of the member.",
            referenceTypes: ["User", "Group"],
            caseExact: true,
            mutability: "immutable",
          },
          {
            name: "type",
            type: "string",
            description: "Type of the member.",
            caseExact: true,
            mutability: "immutable",
            canonicalValues: ["User", "Group"],
          },
        ],
      },
    ],
  },
};
