import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { idOf, jwtConfig, samlMetadata, uniqueName } from "../../support/world.ts";
import type { Ground } from "./ground.ts";

/** A field with a bound on its length, and how to send a value in it. */
export interface BoundedField {
  readonly method: DescMethodUnary;
  /** The proto path, as errors name it. */
  readonly field: string;
  /** Shortest value that is accepted; 0 when the field may be empty. */
  readonly least: number;
  readonly most: number;
  /** Returns a legal value of that many code points, made of `letter` where the form allows one. */
  value(length: number, letter: string): string;
  request(ground: Ground, value: string): MessageInitShape<DescMethodUnary["input"]>;
  /** Reads what was stored; absent for a field that names something or is kept secret. */
  read?(ground: Ground, answer: JsonObject): Promise<unknown>;
}

const text = (length: number, letter: string): string => letter.repeat(length);
/** `http://a` is the shortest URL that there is: 8 characters. */
const url = (length: number, letter: string): string =>
  length <= 9 ? "http://abc".slice(0, length) : `http://a/${letter.repeat(length - 9)}`;
/** A token of RFC 9110 §5.6.2 has ASCII only. */
const headerName = (length: number): string => "x".repeat(length);

const providers = IdentityProviderService.method;
const projects = ProjectService.method;
const users = UserService.method;

const addJwt = (field: keyof typeof jwtConfig | "name") => (_ground: Ground, value: string) => ({
  name: uniqueName("JWT"),
  ...jwtConfig,
  [field]: value,
});
const addOidc = (field: string) => (_ground: Ground, value: string) => ({
  name: uniqueName("OIDC"),
  clientId: "client",
  clientSecret: "secret",
  issuer: "https://idp.example.com",
  [field]: value,
});
const updateJwt = (field: string) => (ground: Ground, value: string) => ({
  idpId: ground.idpId,
  ...jwtConfig,
  [field]: value,
});

const readProvider =
  (config: "jwt" | "oidc" | undefined, field: string, isUpdate = false) =>
  async (ground: Ground, answer: JsonObject): Promise<unknown> => {
    const idpId = isUpdate ? ground.idpId : idOf(answer, "idpId");
    const read = await ground.read(providers.getIdentityProvider, { idpId });
    const provider = read["identityProvider"] as JsonObject;
    return (config === undefined ? provider : (provider[config] as JsonObject))[field];
  };

const readProject =
  (idIn: (ground: Ground, answer: JsonObject) => string) =>
  async (ground: Ground, answer: JsonObject): Promise<unknown> => {
    const read = await ground.read(projects.getProject, { id: idIn(ground, answer) });
    return (read["project"] as JsonObject)["name"];
  };

const human = { givenName: "Ada", familyName: "Lovelace", email: "ada@example.com" };
const readUser =
  (...path: readonly string[]) =>
  async (ground: Ground, answer: JsonObject): Promise<unknown> => {
    const read = await ground.read(users.getUser, { userId: idOf(answer, "userId") });
    return path.reduce<unknown>((at, name) => (at as JsonObject)[name], read["user"]);
  };

const samlXml = () => samlMetadata(`https://sp.example.com/${encodeURIComponent(uniqueName("bounds"))}`);

/** Every bound of interface.md section 8 on a text, then those of api.md on what stands around the eight operations. */
export const boundedFields: readonly BoundedField[] = [
  {
    method: providers.addJwtIdentityProvider,
    field: "name",
    least: 1,
    most: 200,
    value: text,
    request: addJwt("name"),
    read: readProvider(undefined, "name"),
  },
  {
    method: providers.addJwtIdentityProvider,
    field: "jwt_endpoint",
    least: 8,
    most: 200,
    value: url,
    request: addJwt("jwtEndpoint"),
    read: readProvider("jwt", "jwtEndpoint"),
  },
  {
    method: providers.addJwtIdentityProvider,
    field: "issuer",
    least: 1,
    most: 200,
    value: text,
    request: addJwt("issuer"),
    read: readProvider("jwt", "issuer"),
  },
  {
    method: providers.addJwtIdentityProvider,
    field: "keys_endpoint",
    least: 8,
    most: 200,
    value: url,
    request: addJwt("keysEndpoint"),
    read: readProvider("jwt", "keysEndpoint"),
  },
  {
    method: providers.addJwtIdentityProvider,
    field: "header_name",
    least: 1,
    most: 200,
    value: headerName,
    request: addJwt("headerName"),
    read: readProvider("jwt", "headerName"),
  },
  {
    method: providers.addOidcIdentityProvider,
    field: "name",
    least: 1,
    most: 200,
    value: text,
    request: addOidc("name"),
    read: readProvider(undefined, "name"),
  },
  {
    method: providers.addOidcIdentityProvider,
    field: "client_id",
    least: 1,
    most: 200,
    value: text,
    request: addOidc("clientId"),
    read: readProvider("oidc", "clientId"),
  },
  {
    // It never leaves the service, so nothing reads it.
    method: providers.addOidcIdentityProvider,
    field: "client_secret",
    least: 1,
    most: 200,
    value: text,
    request: addOidc("clientSecret"),
  },
  {
    method: providers.addOidcIdentityProvider,
    field: "issuer",
    least: 8,
    most: 2048,
    value: url,
    request: addOidc("issuer"),
    read: readProvider("oidc", "issuer"),
  },
  {
    method: providers.updateJwtIdentityProvider,
    field: "idp_id",
    least: 1,
    most: 200,
    value: text,
    request: updateJwt("idpId"),
  },
  {
    method: providers.updateJwtIdentityProvider,
    field: "jwt_endpoint",
    least: 8,
    most: 200,
    value: url,
    request: updateJwt("jwtEndpoint"),
    read: readProvider("jwt", "jwtEndpoint", true),
  },
  {
    method: providers.updateJwtIdentityProvider,
    field: "issuer",
    least: 1,
    most: 200,
    value: text,
    request: updateJwt("issuer"),
    read: readProvider("jwt", "issuer", true),
  },
  {
    method: providers.updateJwtIdentityProvider,
    field: "keys_endpoint",
    least: 8,
    most: 200,
    value: url,
    request: updateJwt("keysEndpoint"),
    read: readProvider("jwt", "keysEndpoint", true),
  },
  {
    method: providers.updateJwtIdentityProvider,
    field: "header_name",
    least: 0,
    most: 200,
    value: headerName,
    request: updateJwt("headerName"),
    read: readProvider("jwt", "headerName", true),
  },
  ...(["user_id", "passkey_id", "passkey_name"] as const).map((field): BoundedField => {
    const camel = { user_id: "userId", passkey_id: "passkeyId", passkey_name: "passkeyName" }[field];
    const publicKeyCredential = { type: "public-key", id: "x".repeat(60) };
    return {
      method: users.verifyPasskey,
      field,
      least: 1,
      most: 200,
      value: text,
      request: ({ userId }, value) => ({
        userId,
        passkeyId: "1",
        passkeyName: "Key",
        publicKeyCredential,
        [camel]: value,
      }),
    };
  }),
  ...(["user_id", "u2f_id", "token_name"] as const).map((field): BoundedField => {
    const camel = { user_id: "userId", u2f_id: "u2fId", token_name: "tokenName" }[field];
    const publicKeyCredential = { type: "public-key", id: "x".repeat(60) };
    return {
      method: users.verifyU2f,
      field,
      least: 1,
      most: 200,
      value: text,
      request: ({ userId, u2fId }, value) => ({
        userId,
        u2fId,
        tokenName: "Key",
        publicKeyCredential,
        [camel]: value,
      }),
    };
  }),
  {
    method: users.verifyPhone,
    field: "user_id",
    least: 1,
    most: 200,
    value: text,
    request: (_ground, userId) => ({ userId, verificationCode: "12345678" }),
  },
  {
    method: users.verifyPhone,
    field: "verification_code",
    least: 1,
    most: 20,
    value: text,
    request: ({ userId }, verificationCode) => ({ userId, verificationCode }),
  },
  {
    method: projects.updateProject,
    field: "id",
    least: 1,
    most: 200,
    value: text,
    request: (_ground, id) => ({ id, name: "x" }),
  },
  {
    method: projects.updateProject,
    field: "name",
    least: 1,
    most: 200,
    value: text,
    request: ({ projectId }, name) => ({ id: projectId, name }),
    read: readProject(({ projectId }) => projectId),
  },
  ...(["user_id", "project_id", "project_grant_id"] as const).map((field): BoundedField => {
    const camel = { user_id: "userId", project_id: "projectId", project_grant_id: "projectGrantId" }[field];
    return {
      method: UserGrantService.method.addUserGrant,
      field,
      least: field === "project_grant_id" ? 0 : 1,
      most: 200,
      value: text,
      request: ({ userId, projectId }, value) => ({ userId, projectId, [camel]: value }),
    };
  }),
  {
    method: ApplicationService.method.createSamlApplication,
    field: "project_id",
    least: 1,
    most: 200,
    value: text,
    request: (_ground, projectId) => ({ projectId, name: "x", metadataXml: samlXml() }),
  },
  {
    method: ApplicationService.method.createSamlApplication,
    field: "name",
    least: 1,
    most: 200,
    value: text,
    request: ({ projectId }, name) => ({ projectId, name, metadataXml: samlXml() }),
    read: async ({ projectId, read }, answer) => {
      const { application } = await read(ApplicationService.method.getApplication, {
        projectId,
        appId: idOf(answer, "appId"),
      });
      return (application as JsonObject)["name"];
    },
  },
  {
    // Plain http is URL_FORBIDDEN here, which is asked only after the rules of the field.
    method: ApplicationService.method.createSamlApplication,
    field: "metadata_url",
    least: 8,
    most: 2048,
    value: url,
    request: ({ projectId }, metadataUrl) => ({ projectId, name: uniqueName("App"), metadataUrl }),
  },
  {
    method: OrganizationService.method.addOrganization,
    field: "name",
    least: 1,
    most: 200,
    value: text,
    request: (_ground, name) => ({ name }),
  },
  {
    method: projects.addProject,
    field: "name",
    least: 1,
    most: 200,
    value: text,
    request: (_ground, name) => ({ name }),
    read: readProject((_ground, answer) => idOf(answer, "id")),
  },
  {
    method: projects.addProjectRole,
    field: "role_key",
    least: 1,
    most: 200,
    value: text,
    request: ({ projectId }, roleKey) => ({ projectId, roleKey }),
  },
  ...(["username", "given_name", "family_name", "display_name"] as const).map((field): BoundedField => {
    const names = { given_name: "givenName", family_name: "familyName", display_name: "displayName" };
    const camel = field === "username" ? field : names[field];
    return {
      method: users.addHumanUser,
      field,
      least: field === "display_name" ? 0 : 1,
      most: 200,
      value: text,
      request: (_ground, value) => ({ username: uniqueName("user"), ...human, [camel]: value }),
      read: field === "username" ? readUser("username") : readUser("human", camel),
    };
  }),
  ...(["username", "name", "description"] as const).map(
    (field): BoundedField => ({
      method: users.addServiceUser,
      field,
      least: field === "description" ? 0 : 1,
      most: 200,
      value: text,
      request: (_ground, value) => ({ username: uniqueName("service"), name: "Service", [field]: value }),
      read: field === "username" ? readUser("username") : readUser("service", field),
    }),
  ),
];

/** Texts that a service is tempted to tidy up. */
export const verbatim = [
  "  # two blanks on each side  ",
  "e\u0301 is not \u00E9 #",
  "# \uFB01 \u2460 \u017F \u0130\u0131 \u1E9E",
  "# \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u0915\u094D\u200D\u0937 \u2764\uFE0F",
  `# <b>&amp;"'\\%00%2F+ \${x} {{y}} --`,
  "# \u{1F469} \u{20BB7}",
  "\uFFFD# \uFFFE \u{10FFFF}",
  "__proto__ #",
];

/** Texts that show something else than they hold, each by another character. */
export const unseen = [
  "\u202E# right to left\u202C",
  "\u2067# isolated\u2069",
  "# \u200E",
  "# \u200Fx",
  "# \u061C",
  "#\u200B",
  "#\uFEFF without width",
  "# soft\u00ADhyphen",
  "# \u{1F469}\u200D\u{1F4BB}",
  "# \u{E0041}\u{E007F}",
];
