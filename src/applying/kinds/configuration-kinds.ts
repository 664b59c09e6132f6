import { ExternalClientSettingsSchema } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderSchema } from "../../../gen/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { OrganizationSchema } from "../../../gen/gatehouse/v1/organization_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { TargetSchema } from "../../../gen/gatehouse/v1/target_pb.ts";
import { TargetService } from "../../../gen/gatehouse/v1/target_service_pb.ts";
import { listAll } from "../../client/client.ts";
import { collect } from "../reading/reader.ts";
import { hooksOf } from "./hooks.ts";
import { membershipsOn } from "./memberships.ts";
import { metadataOf } from "./metadata.ts";
import type { ObjectKind } from "./object-kind.ts";
import { peopleKinds } from "./people.ts";
import { labelPolicyOf, loginPolicyOf, textsOf } from "./policies.ts";
import { projectKind } from "./projects.ts";
import { toStored } from "./stored.ts";

const identityProviders: ObjectKind = {
  key: "identity_providers",
  noun: "identity provider",
  form: "list",
  names: ["name"],
  isFolded: true,
  own: "idp_id",
  add: "createIdentityProvider",
  updates: ["updateIdentityProvider"],
  remove: "removeIdentityProvider",
  switches: { deactivate: "deactivateIdentityProvider", reactivate: "reactivateIdentityProvider" },
  order: 20,
  target: "idp",
  children: [],
  async read(reader, { organizationId }) {
    const service = reader.in(organizationId, IdentityProviderService);
    const all = await reader.once(`idps ${organizationId}`, () =>
      collect(listAll(service.listIdentityProviders, {})),
    );
    return all.map((provider) => toStored(IdentityProviderSchema, provider));
  },
};

/** Returns the webhook targets of organizations or of the instance. */
function targetsOf(owner: "organization" | "instance"): ObjectKind {
  return {
    key: "targets",
    noun: "webhook target",
    form: "list",
    names: ["name"],
    isFolded: true,
    own: "target_id",
    add: "addTarget",
    updates: ["updateTarget"],
    remove: "removeTarget",
    switches: { deactivate: "deactivateTarget", reactivate: "reactivateTarget" },
    ...(owner === "instance" ? { fixed: { instance: true } } : {}),
    order: 90,
    children: [],
    async read(reader, { organizationId }) {
      const service = reader.in(organizationId, TargetService);
      const all = await collect(listAll(service.listTargets, { instance: owner === "instance" }));
      return all.map((target) => toStored(TargetSchema, target));
    },
  };
}

const externalClients: ObjectKind = {
  key: "external_clients",
  noun: "external clients",
  form: "one",
  names: [],
  updates: ["updateExternalClientSettings"],
  order: 90,
  children: [],
  async read(reader) {
    const { settings } = await reader.in("", ApplicationService).getExternalClientSettings({});
    if (settings === undefined) return [];
    const stored = toStored(ExternalClientSettingsSchema, settings);
    return [{ ...stored, isThere: stored.sequence !== undefined }];
  },
};

const instance: ObjectKind = {
  key: "instance",
  noun: "instance",
  form: "one",
  names: [],
  updates: [],
  order: 10,
  children: [
    loginPolicyOf("instance"),
    labelPolicyOf("instance"),
    textsOf("instance"),
    membershipsOn("instance", "instance"),
    targetsOf("instance"),
    hooksOf("instance"),
    externalClients,
  ],
  read: async () => [{ id: "", settings: {} }],
};

const organizations: ObjectKind = {
  key: "organizations",
  noun: "organization",
  form: "list",
  names: ["name"],
  isFolded: true,
  own: "id",
  add: "addOrganization",
  updates: ["updateOrganization"],
  switches: { deactivate: "deactivateOrganization", reactivate: "reactivateOrganization" },
  order: 10,
  target: "organization",
  children: [
    loginPolicyOf("organization"),
    labelPolicyOf("organization"),
    textsOf("organization"),
    identityProviders,
    projectKind,
    ...peopleKinds,
    membershipsOn("organization_id", "organizations"),
    targetsOf("organization"),
    hooksOf("organization"),
    metadataOf("Organization", { id: "organizations" }),
  ],
  async read(reader, _place, names) {
    const service = reader.in("", OrganizationService);
    const found = [];
    for (const name of names ?? [""])
      found.push(...(await collect(listAll(service.listOrganizations, { name }))));
    return found.map((organization) => toStored(OrganizationSchema, organization));
  },
};

/** What a configuration holds: a later kind of object is a row in the children of what it belongs to. */
export const configurationKinds: readonly ObjectKind[] = [instance, organizations];
