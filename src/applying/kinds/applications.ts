import type { JsonObject } from "@bufbuild/protobuf";
import { type Application, ApplicationSchema } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { ClaimMappingsSchema } from "../../../gen/gatehouse/v1/claim_mapping_pb.ts";
import { ClaimMappingService } from "../../../gen/gatehouse/v1/claim_mapping_service_pb.ts";
import { listAll } from "../../client/client.ts";
import { collect, type ServiceReader } from "../reading/reader.ts";
import { hookClaimOf } from "./hooks.ts";
import { metadataOf } from "./metadata.ts";
import type { FilePlace, ObjectKind, StoredObject } from "./object-kind.ts";
import { flatten, toStored, withSettings } from "./stored.ts";

const switches = { deactivate: "deactivateApplication", reactivate: "reactivateApplication" } as const;

/** What all kinds of applications share. */
const anyApplication = {
  form: "list",
  names: ["name"],
  isFolded: true,
  own: "app_id",
  path: { project_id: "projects" },
  remove: "removeApplication",
  switches,
  order: 40,
  isRemovedFirst: true, // an application of another kind may take the name
} as const;

/** Returns the claim mappings of a project or an application, which are set as one list. */
export function claimMappingsOf(owner: "Project" | "Application", key: string): ObjectKind {
  return {
    key: "claim_mappings",
    noun: "claim mappings",
    form: "one",
    names: [],
    inline: "mappings",
    updates: [`set${owner}ClaimMappings`],
    partOf: key,
    path: owner === "Project" ? { project_id: key } : { project_id: "projects", app_id: key },
    order: 70,
    children: [],
    async read(reader, place) {
      if (place.isNew) return [{ id: "", settings: { mappings: [] } }];
      const service = reader.in(place.organizationId, ClaimMappingService);
      const [projectId = "", appId = ""] = [place.ids["projects"], place.ids[key]];
      const { claimMappings } = await (owner === "Project"
        ? service.getProjectClaimMappings({ projectId })
        : service.getApplicationClaimMappings({ projectId, appId }));
      if (claimMappings === undefined) return [];
      const { sequence, settings } = toStored(ClaimMappingsSchema, claimMappings);
      const stored = settings["mappings"] as readonly JsonObject[]; // of ClaimMappings
      return [{ id: "", sequence, settings: { mappings: stored.map(({ mapping = null }) => mapping) } }];
    },
  };
}

function childrenOf(key: string): readonly ObjectKind[] {
  return [
    claimMappingsOf("Application", key),
    ...(key === "api_applications" ? [] : [hookClaimOf(key)]),
    metadataOf("Application", { project_id: "projects", app_id: key }),
  ];
}

/** Reads the applications of a project that are of the kind. */
async function readApplications(
  reader: ServiceReader,
  { organizationId, ids: { projects: projectId = "" } }: FilePlace,
  kind: "oidc" | "api" | "saml",
): Promise<readonly StoredObject[]> {
  const service = reader.in(organizationId, ApplicationService);
  const all = await reader.once(`applications ${projectId}`, () =>
    collect(listAll(service.listApplications, { projectId })),
  );
  const found: StoredObject[] = [];
  for (const application of all) {
    const { config, id: appId } = application;
    // An external client is made by itself, and nobody can change it.
    if (config.case !== kind || (config.case === "oidc" && config.value.externalClient !== 0)) continue;
    // Lists leave the metadata of SAML out.
    const whole: Application | undefined =
      kind === "saml" ? (await service.getApplication({ projectId, appId })).application : application;
    const stored = toStored(ApplicationSchema, whole ?? application);
    found.push({ ...stored, settings: flatten(stored.settings, kind) });
  }
  return found;
}

/** The applications of a project, those of each kind in a list of their own. */
export const applicationKinds: readonly ObjectKind[] = [
  {
    ...anyApplication,
    key: "oidc_applications",
    noun: "OpenID Connect application",
    add: "createOidcApplication",
    updates: ["updateApplication", "updateOidcConfig"],
    children: childrenOf("oidc_applications"),
    read: (reader, place) => readApplications(reader, place, "oidc"),
  },
  {
    ...anyApplication,
    key: "api_applications",
    noun: "API application",
    add: "createApiApplication",
    updates: ["updateApplication", "updateApiConfig"],
    children: childrenOf("api_applications"),
    async read(reader, place) {
      const found = await readApplications(reader, place, "api");
      return found.map((stored) => {
        const isVerified = stored.settings["resource_state"] === "API_RESOURCE_STATE_VERIFIED";
        return withSettings(stored, { ...stored.settings, resource_verified: isVerified });
      });
    },
  },
  {
    ...anyApplication,
    key: "saml_applications",
    noun: "SAML application",
    add: "createSamlApplication",
    updates: ["updateApplication", "updateSamlConfig", "updateSamlSettings"],
    eitherOr: ["metadata_xml", "metadata_url"],
    children: childrenOf("saml_applications"),
    async read(reader, place) {
      const found = await readApplications(reader, place, "saml");
      // What was fetched from the URL is not a setting.
      return found.map((stored) => {
        const { metadata_xml: xml = "", ...others } = stored.settings;
        const isFetched = others["metadata_url"] !== "";
        return withSettings(stored, isFetched ? others : { ...others, metadata_xml: xml });
      });
    },
  },
];
