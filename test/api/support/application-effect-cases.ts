import type { JsonValue } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import {
  createCaller,
  createOidcApplication,
  idOf,
  publicKeySample,
  samlMetadata,
  uniqueName,
} from "../../support/world.ts";
import type { EffectCase, Ground, Prepared } from "./field-effect.ts";

const applications = ApplicationService.method;

const insideOf = ({ service, world }: Ground) => createCaller(service, world.organizationId);

const newApplication = async (ground: Ground, kind: "saml" | "oidc" | "api"): Promise<Prepared> => {
  const { projectId } = ground.world;
  const appId = await makers[kind](ground);
  return {
    given: { project_id: projectId, app_id: appId },
    read: () => [applications.getApplication, { projectId, appId }],
  };
};

const makers = {
  async saml(ground: Ground) {
    const added = await insideOf(ground)(applications.createSamlApplication, {
      projectId: ground.world.projectId,
      name: uniqueName("Application"),
      metadataXml: samlMetadata(`https://sp.example.com/${uniqueName("entity").replaceAll(" ", "-")}`),
    });
    return idOf(added, "appId");
  },
  oidc: ({ service, world }: Ground) => createOidcApplication(service, world.organizationId, world.projectId),
  async api(ground: Ground) {
    const { projectId } = ground.world;
    const added = await insideOf(ground)(applications.createApiApplication, {
      projectId,
      name: uniqueName("Api"),
    });
    return idOf(added, "appId");
  },
} as const;

const inProject: EffectCase["prepare"] = async ({ world: { projectId } }) => ({
  given: { project_id: projectId },
  read: (answer) => [applications.getApplication, { projectId, appId: idOf(answer, "appId") }],
});
const apiGiven = ({ world: { projectId } }: Ground) => ({
  project_id: projectId,
  scopes: [{ name: "read", description: "Read", isDefault: true, roleKeys: ["reader"] }] as JsonValue,
});
const vouched: EffectCase["seenAs"] = {
  resource_verified: ({ read }) => JSON.stringify(read).includes("API_RESOURCE_STATE_VERIFIED"),
};
/** The profile contradicts development. */
const oneOfProfile = [["security_profile"], ["dev_mode"]] as const;
const oneSource = [["metadata_xml"], ["metadata_url"]] as const;

/** The rpcs that add an application or change it by what their fields say. */
export const applicationEffectCases: Readonly<Record<string, EffectCase>> = {
  CreateSamlApplication: { alternatives: oneSource, prepare: inProject },
  CreateOidcApplication: { alternatives: oneOfProfile, prepare: inProject },
  CreateApiApplication: {
    prepare: async (ground) => ({ ...(await inProject(ground, [])), given: apiGiven(ground) }),
    seenAs: vouched,
  },
  UpdateApplication: { prepare: (ground) => newApplication(ground, "saml") },
  UpdateSamlConfig: { alternatives: oneSource, prepare: (ground) => newApplication(ground, "saml") },
  UpdateSamlSettings: {
    async prepare(ground) {
      const prepared = await newApplication(ground, "saml");
      const attributes: JsonValue = [
        {
          name: "mail",
          nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri",
          source: "Email",
          constant: "",
        },
        { name: "tenant", nameFormat: "", source: "", constant: "one" },
      ];
      return { ...prepared, given: { ...prepared.given, attributes } };
    },
  },
  UpdateExternalClientSettings: {
    prepare: async ({ world }) => ({
      given: {
        kinds: ["EXTERNAL_CLIENT_KIND_REGISTRATION"],
        host_patterns: ["*.example.com"],
        project_id: world.projectId,
      },
      read: () => [applications.getExternalClientSettings, {}],
    }),
  },
  UpdateOidcConfig: { alternatives: oneOfProfile, prepare: (ground) => newApplication(ground, "oidc") },
  UpdateApiConfig: {
    async prepare(ground) {
      const prepared = await newApplication(ground, "api");
      return { ...prepared, given: { ...prepared.given, ...apiGiven(ground) } };
    },
    seenAs: vouched,
  },
  AddApplicationKey: {
    async prepare(ground) {
      const { given = {} } = await newApplication(ground, "oidc");
      const { project_id: projectId = "", app_id: appId = "" } = given;
      return {
        given: { ...given, public_key: Buffer.from(publicKeySample).toString("base64") },
        read: () => [applications.listApplicationKeys, { projectId, appId }],
      };
    },
    seenAs: {
      public_key: ({ answer }) => answer["keyDetails"] === "",
    },
  },
};
