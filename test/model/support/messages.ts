/** How the objects look in answers: protobuf JSON of the contract. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { samlMetadata } from "../../support/world.ts";
import type {
  Application,
  Entity,
  Membership,
  Organization,
  Project,
  ProjectGrant,
  Provider,
  Role,
  SamlSettings,
  Token,
  User,
  UserGrant,
  World,
} from "./world.ts";

/** Returns microseconds since 1970 as protobuf JSON writes an instant: with 0, 3 or 6 digits behind the point. */
export function toDate(micros: number): string {
  const seconds = new Date(Math.floor(micros / 1_000_000) * 1000).toISOString().slice(0, -5);
  const rest = String(micros % 1_000_000).padStart(6, "0");
  if (rest === "000000") return `${seconds}Z`;
  return `${seconds}.${rest.endsWith("000") ? rest.slice(0, 3) : rest}Z`;
}

/** What ObjectDetails say. */
export function detailsOf(entity: Pick<Entity, "sequence" | "created" | "resourceOwner">): JsonObject {
  return {
    sequence: String(entity.sequence),
    creationDate: toDate(entity.created),
    changeDate: toDate(entity.sequence),
    resourceOwner: entity.resourceOwner,
  };
}

export function organizationMessage(organization: Organization): JsonObject {
  const { id, name } = organization;
  return {
    id,
    details: detailsOf(organization),
    state: `ORGANIZATION_STATE_${organization.state}`,
    name,
  };
}

export function userMessage(user: User): JsonObject {
  const { id, username, profile, kind } = user;
  const unverified = { isEmailVerified: false, phone: "", isPhoneVerified: false };
  const withoutPassword = { hasPassword: false, passwordChangeRequired: false };
  return {
    id,
    details: detailsOf(user),
    state: `USER_STATE_${user.state}`,
    username,
    importedId: "",
    [kind]:
      kind === "human" ? { ...profile, ...unverified, ...withoutPassword } : { ...profile, trustMail: false },
  };
}

export function tokenMessage(token: Token): JsonObject {
  const expirationDate: JsonObject =
    token.expirationMs === undefined ? {} : { expirationDate: toDate(token.expirationMs * 1000) };
  return { id: token.id, details: detailsOf(token), ...expirationDate };
}

export function membershipMessage(membership: Membership): JsonObject {
  const { id, userId, scope, roles } = membership;
  const on: JsonObject = scope.kind === "instance" ? { instance: true } : { [`${scope.kind}Id`]: scope.id };
  return { id, details: detailsOf(membership), userId, groupId: "", ...on, roles: [...roles] };
}

export function providerMessage(provider: Provider): JsonObject {
  const { id, name, settings, kind, config } = provider;
  return {
    id,
    details: detailsOf(provider),
    state: `IDENTITY_PROVIDER_STATE_${provider.state}`,
    name,
    ...(settings as JsonObject),
    [kind]: config as JsonValue,
  };
}

export function projectMessage(project: Project): JsonObject {
  const { id, name, settings } = project;
  return {
    id,
    details: detailsOf(project),
    state: `PROJECT_STATE_${project.state}`,
    name,
    ...(settings as JsonObject),
  };
}

export function roleMessage(role: Role): JsonObject {
  const { key, displayName, group } = role;
  return { key, details: detailsOf(role), displayName, group };
}

export function projectGrantMessage(world: World, grant: ProjectGrant): JsonObject {
  const { id, projectId, roleKeys } = grant;
  return {
    id,
    details: detailsOf(grant),
    state: `PROJECT_GRANT_STATE_${grant.state}`,
    projectId,
    projectName: world.projects.find(projectId)?.name ?? "",
    grantedOrganizationId: grant.grantedId,
    roleKeys: [...roleKeys],
  };
}

export function userGrantMessage(grant: UserGrant): JsonObject {
  const { id, userId, projectId, projectGrantId, roleKeys } = grant;
  return {
    id,
    details: detailsOf(grant),
    state: `USER_GRANT_STATE_${grant.state}`,
    userId,
    projectId,
    projectGrantId,
    roleKeys: [...roleKeys],
  };
}

/** Lists leave the document out. */
export function applicationMessage(application: Application, options: { isListed: boolean }): JsonObject {
  const { id, name, projectId, entityId } = application;
  const saml = {
    entityId,
    metadataXml: options.isListed ? "" : metadataOf(entityId),
    metadataUrl: "",
    assertionConsumerServices: [
      {
        binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
        location: "https://sp.example.com/acs",
        index: 0,
        isDefault: true,
      },
    ],
    metadataState: "SAML_METADATA_STATE_READY",
    metadataError: "",
    ...application.settings,
    serviceProviderCertificates: [],
    problems: options.isListed ? [] : problemsOf(application),
    metadataExpired: false,
  };
  return {
    id,
    details: detailsOf(application),
    state: `APPLICATION_STATE_${application.state}`,
    name,
    projectId,
    saml,
  };
}

/** The document has neither a key for signing nor one for encryption. */
function problemsOf({ settings }: Application): string[] {
  const nobody = "nobody can log in";
  return [
    ...(settings.encryption === "SAML_ENCRYPTION_REQUIRED"
      ? [
          `encryption is required, but the metadata has no RSA key of 2048 to 8192 bits with a cipher that can be used: ${nobody}`,
        ]
      : []),
    ...(settings.requireSignedRequests
      ? [
          "requests have to be signed, but the metadata has no key for signing that can be used: no request is accepted",
        ]
      : []),
  ];
}

/** The settings of a SAML application that nobody has changed. */
export const initialSamlSettings: SamlSettings = {
  requireSignedRequests: false,
  encryption: "SAML_ENCRYPTION_UNSPECIFIED",
  nameIdFormat: "SAML_NAME_ID_FORMAT_UNSPECIFIED",
  allowIdpInitiated: false,
  defaultRelayState: "",
  logoutDisabled: false,
  attributes: [],
  onlyRequestedAttributes: false,
};

/** Returns a document with that entity id, in base64. */
export function metadataOf(entityId: string): string {
  return Buffer.from(samlMetadata(entityId)).toString("base64");
}
