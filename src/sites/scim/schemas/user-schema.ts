import type { Attribute, ResourceType, ScimSchema } from "./attribute.ts";

const text = (name: string, description: string): Attribute => ({
  name,
  type: "string",
  description,
  caseExact: true,
});

const primary: Attribute = {
  name: "primary",
  type: "boolean",
  description: "Whether it is the preferred one. At most one is.",
};

const typed = (canonicalValues: readonly string[]): Attribute => ({
  ...text("type", "What it is for."),
  canonicalValues,
});

const readOnlyList = (name: string, description: string): Attribute => ({
  name,
  type: "complex",
  description,
  multiValued: true,
  mutability: "readOnly",
  subAttributes: [
    { ...text("value", "The value."), mutability: "readOnly" },
    { ...text("display", "Its name for people."), mutability: "readOnly" },
    { ...text("type", "What it belongs to."), mutability: "readOnly" },
  ],
});

/** The URI of the enterprise extension (RFC 7643 §4.3). */
export const enterpriseUri = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const enterprise: ScimSchema = {
  id: enterpriseUri,
  name: "EnterpriseUser",
  description: "Enterprise User",
  attributes: [
    text("employeeNumber", "Number that the organization gave to the person."),
    text("costCenter", "Cost center."),
    text("organization", "Organization."),
    text("division", "Division."),
    text("department", "Department."),
    {
      name: "manager",
      type: "complex",
      description: "The manager of the user.",
      subAttributes: [
        text("value", "Id of the manager."),
        {
          name: "$ref",
          type: "reference",
          description: "URL of the manager.",
          referenceTypes: ["User"],
          caseExact: true,
        },
      ],
    },
  ],
};

const schema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  description: "User Account",
  attributes: [
    {
      name: "userName",
      type: "string",
      description: "The username, unique in the instance.",
      required: true,
      uniqueness: "server",
    },
    {
      name: "name",
      type: "complex",
      description: "The parts of the name.",
      required: true,
      subAttributes: [
        text("formatted", "The name in one piece."),
        { name: "familyName", type: "string", description: "Family name.", required: true },
        { name: "givenName", type: "string", description: "Given name.", required: true },
        text("middleName", "Middle names."),
        text("honorificPrefix", "Titles before the name."),
        text("honorificSuffix", "Titles behind the name."),
      ],
    },
    { name: "displayName", type: "string", description: "The name that others see." },
    text("nickName", "Casual name."),
    {
      ...text("profileUrl", "URL of a page about the user."),
      type: "reference",
      referenceTypes: ["external"],
    },
    text("title", "Title, such as Vice President."),
    text("userType", "Relation to the organization, such as Contractor."),
    {
      name: "preferredLanguage",
      type: "string",
      description: "Language of pages and emails, a BCP 47 tag.",
      canonicalValues: ["en", "de"],
    },
    text("locale", "Where the user is, for formats."),
    text("timezone", "Time zone, such as Europe/Zurich."),
    {
      name: "active",
      type: "boolean",
      description: "False: the user is deactivated, and everything of theirs has ended.",
      required: true,
      hasDefault: true,
    },
    {
      name: "password",
      type: "string",
      description: "A new password. It is never told.",
      mutability: "writeOnly",
      returned: "never",
    },
    {
      name: "emails",
      type: "complex",
      description: "Email addresses. The account has the primary one.",
      multiValued: true,
      required: true,
      hasDefault: true,
      subAttributes: [
        { name: "value", type: "string", description: "The address.", required: true },
        typed(["work", "home", "other"]),
        primary,
      ],
    },
    {
      name: "phoneNumbers",
      type: "complex",
      description: "Phone numbers, as the directory writes them. Nobody signs in with them.",
      multiValued: true,
      subAttributes: [
        text("value", "The number."),
        typed(["work", "home", "mobile", "fax", "pager", "other"]),
        primary,
      ],
    },
    {
      name: "addresses",
      type: "complex",
      description: "Postal addresses.",
      multiValued: true,
      subAttributes: [
        text("formatted", "The address in one piece."),
        text("streetAddress", "Street, house number."),
        text("locality", "City."),
        text("region", "State or region."),
        text("postalCode", "Postal code."),
        text("country", "Country, such as CH."),
        typed(["work", "home", "other"]),
        primary,
      ],
    },
    {
      name: "groups",
      type: "complex",
      description: "The groups that the user is a direct member of, for callers that may read groups.",
      multiValued: true,
      mutability: "readOnly",
      subAttributes: [
        { ...text("value", "Id of the group."), mutability: "readOnly" },
        {
          name: "$ref",
          type: "reference",
          description: "URL of the group.",
          referenceTypes: ["Group"],
          caseExact: true,
          mutability: "readOnly",
        },
        { ...text("display", "Name of the group."), mutability: "readOnly" },
        { ...text("type", "How the user is in it."), mutability: "readOnly", canonicalValues: ["direct"] },
      ],
    },
    readOnlyList("entitlements", "None: what a user may do is in roles."),
    readOnlyList("roles", "The roles of projects that the user holds."),
  ],
};

/** Users: people of the organization. */
export const userType: ResourceType = {
  name: "User",
  endpoint: "Users",
  description: "User Account",
  schema,
  extensions: [enterprise],
};
