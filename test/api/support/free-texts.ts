import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { idOf, jwtConfig, samlMetadata, uniqueName } from "../../support/world.ts";
import type { Ground } from "./ground.ts";

/** A text that people choose, of at most 200 characters. */
export interface FreeText {
  readonly method: DescMethodUnary;
  /** The proto path, as errors name it. */
  readonly field: string;
  /** Whether it may be empty. */
  readonly isOptional: boolean;
  request(ground: Ground, value: string): MessageInitShape<DescMethodUnary["input"]>;
  /** Reads what was stored. */
  read(ground: Ground, answer: JsonObject): Promise<unknown>;
}

const providers = IdentityProviderService.method;
const projects = ProjectService.method;
const applications = ApplicationService.method;
const users = UserService.method;

/** Returns what stands at that path of the read. */
function shown(read: JsonObject, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (at as JsonObject)[name], read);
}

const camel = (field: string) => field.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
const samlXml = () => samlMetadata(`https://sp.example.com/${encodeURIComponent(uniqueName("bounds"))}`);
const human = { givenName: "Ada", familyName: "Lovelace", email: "ada@example.com" };
const oidc = { clientId: "client", clientSecret: "secret", issuer: "https://idp.example.com" };

export const freeTexts: readonly FreeText[] = [
  ...["name", "issuer"].map(
    (field): FreeText => ({
      method: providers.addJwtIdentityProvider,
      field,
      isOptional: false,
      request: (_ground, value) => ({ name: uniqueName("JWT"), ...jwtConfig, [field]: value }),
      read: async ({ read }, answer) => {
        const provider = await read(providers.getIdentityProvider, { idpId: idOf(answer, "idpId") });
        return shown(provider, "identityProvider", ...(field === "name" ? [field] : ["jwt", field]));
      },
    }),
  ),
  {
    method: providers.addOidcIdentityProvider,
    field: "client_id",
    isOptional: false,
    request: (_ground, clientId) => ({ name: uniqueName("OIDC"), ...oidc, clientId }),
    read: async ({ read }, answer) => {
      const provider = await read(providers.getIdentityProvider, { idpId: idOf(answer, "idpId") });
      return shown(provider, "identityProvider", "oidc", "clientId");
    },
  },
  {
    method: providers.createIdentityProvider,
    field: "google.client_id",
    isOptional: false,
    request: (_ground, clientId) => {
      const value = { clientId, clientSecret: "secret" };
      return { name: uniqueName("Google"), config: { case: "google", value } };
    },
    read: async ({ read }, answer) => {
      const provider = await read(providers.getIdentityProvider, { idpId: idOf(answer, "idpId") });
      return shown(provider, "identityProvider", "google", "clientId");
    },
  },
  {
    method: projects.updateProject,
    field: "name",
    isOptional: false,
    request: ({ projectId }, name) => ({ id: projectId, name }),
    read: async ({ projectId, read }) =>
      shown(await read(projects.getProject, { id: projectId }), "project", "name"),
  },
  {
    method: applications.createSamlApplication,
    field: "name",
    isOptional: false,
    request: ({ projectId }, name) => ({ projectId, name, metadataXml: samlXml() }),
    read: async ({ projectId, read }, answer) => {
      const asked = { projectId, appId: idOf(answer, "appId") };
      return shown(await read(applications.getApplication, asked), "application", "name");
    },
  },
  ...["username", "given_name", "family_name", "display_name"].map(
    (field): FreeText => ({
      method: users.addHumanUser,
      field,
      isOptional: field === "display_name",
      request: (_ground, value) => ({ username: uniqueName("user"), ...human, [camel(field)]: value }),
      read: async ({ read }, answer) => {
        const user = await read(users.getUser, { userId: idOf(answer, "userId") });
        return shown(user, "user", ...(field === "username" ? [field] : ["human", camel(field)]));
      },
    }),
  ),
  ...["username", "name", "description"].map(
    (field): FreeText => ({
      method: users.addServiceUser,
      field,
      isOptional: field === "description",
      request: (_ground, value) => ({ username: uniqueName("service"), name: "Service", [field]: value }),
      read: async ({ read }, answer) => {
        const user = await read(users.getUser, { userId: idOf(answer, "userId") });
        return shown(user, "user", ...(field === "username" ? [field] : ["service", field]));
      },
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
