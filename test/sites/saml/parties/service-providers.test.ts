import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type OrganizationId,
  type ProjectId,
  toId,
} from "../../../../src/kernel/base/ids.ts";
import { createServiceProviderReader } from "../../../../src/identity/applications/saml/service-provider-reader.ts";
import {
  createServiceProviders,
  type ServiceProviders,
} from "../../../../src/sites/saml/parties/service-providers.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { metadata, service } from "../../../identity/applications/saml/metadata-document.ts";

let fixture: FeatureFixture;
let providers: ServiceProviders;
let organization: OrganizationId;
let project: ProjectId;
beforeEach(async () => {
  fixture = await openFeatureFixture();
  providers = createServiceProviders(createServiceProviderReader({ clock: fixture.clock, dev: false }));
  organization = await fixture.addOrganization();
  project = await fixture.addProject(organization);
});
afterEach(() => fixture.close());

const entityId = "https://sp.test/Metadata";
const location = "https://sp.test/acs";
const source = (id: string) => ({
  entity_id: id,
  metadata_xml: metadata({ entityId: id, services: service(location) }),
  assertion_consumer_services: [],
  valid_until: "",
});

async function addApplication(id?: string): Promise<ApplicationId> {
  const applicationId = toId<ApplicationId>(fixture.context.ids.next());
  await fixture.record({
    type: "application.added",
    aggregateId: applicationId,
    resourceOwner: organization,
    payload: {
      project_id: project,
      name: applicationId,
      metadata_url: "https://sp.test/",
      ...(id === undefined ? { metadata_error: "SAML_METADATA_UNREACHABLE" } : { metadata: source(id) }),
    },
  });
  return applicationId;
}

const senderOf = (id: string) => fixture.database.read((tx) => providers.findByEntityId(tx, id));
const byEntityId = async (id: string) => (await senderOf(id))?.active;
const byId = (id: string) => fixture.database.read((tx) => providers.findById(tx, id));

describe("a service provider", () => {
  test("is found by its entity id and by its application, with all that it belongs to", async () => {
    const id = await addApplication(entityId);
    const found = await byEntityId(entityId);
    expect(found).toMatchObject({
      application: { id, saml: { settings: { encryption: "WHEN_POSSIBLE" } } },
      project: { id: project },
      organization: { id: organization },
      isActive: true,
      serviceProvider: { entityId, assertionConsumerServices: [{ location }] },
    });
    expect(await byId(id)).toEqual(found);
  });

  test.each([
    ["another case", entityId.toLowerCase()],
    ["white space", `${entityId} `],
    ["a part", entityId.slice(0, -1)],
    ["a pattern", "https://sp.test/%"],
    ["nothing", ""],
  ])("is found byte for byte, and not by %s", async (_what, other) => {
    await addApplication(entityId);
    expect(await senderOf(other)).toBeUndefined();
  });

  test("is not one before it has metadata, and goes on with the earlier ones when the last cannot be used", async () => {
    const pending = await addApplication();
    expect(await byId(pending)).toBeUndefined();
    expect(await senderOf("")).toBeUndefined();
    const id = await addApplication(entityId);
    await fixture.record({
      type: "application.metadata.failed",
      aggregateId: id,
      resourceOwner: organization,
      payload: { error: "SAML_METADATA_ROOT", is_final: true },
    });
    expect(await byEntityId(entityId)).toMatchObject({ application: { id }, isActive: true });
  });

  test("has the settings in force and the metadata in force at each look", async () => {
    const id = await addApplication(entityId);
    await byId(id);
    const about = { aggregateId: id, resourceOwner: organization };
    await fixture.record(
      {
        type: "application.saml.settings.changed",
        ...about,
        payload: {
          require_signed_requests: true,
          encryption: "NEVER",
          name_id_format: "USERNAME",
          allow_idp_initiated: true,
          default_relay_state: "/",
          logout_disabled: true,
          attributes: [],
        },
      },
      { type: "application.metadata.fetched", ...about, payload: source("urn:other") },
    );
    expect(await byEntityId(entityId)).toBeUndefined();
    expect(await byEntityId("urn:other")).toMatchObject({
      application: { id, saml: { settings: { requireSignedRequests: true, nameIdFormat: "USERNAME" } } },
      serviceProvider: { entityId: "urn:other" },
    });
    await fixture.rebuild();
    expect(await byId(id)).toMatchObject({ application: { saml: { settings: { encryption: "NEVER" } } } });
  });

  test.each(["application", "project", "organization"] as const)(
    "is not active while its %s is not, and is gone with it",
    async (what) => {
      const id = await addApplication(entityId);
      const aggregateId = { application: id, project, organization }[what];
      const about = { aggregateId, resourceOwner: organization };
      await fixture.record({ type: `${what}.deactivated`, ...about, payload: {} });
      expect(await senderOf(entityId)).toEqual({ applicationId: id, active: undefined });
      expect(await byId(id)).toMatchObject({ isActive: false });
      await fixture.record({ type: `${what}.reactivated`, ...about, payload: {} });
      expect(await byEntityId(entityId)).toMatchObject({ isActive: true });
      const payload = what === "organization" ? { takes_tokens_for_others: true as const } : {};
      await fixture.record({ type: `${what}.removed`, ...about, payload } as never);
      expect([await senderOf(entityId), await byId(id)]).toEqual([undefined, undefined]);
    },
  );

  test("is not read while it is switched off, so that it is refused as soon as one that there is not", async () => {
    const id = await addApplication(entityId);
    const read: string[] = [];
    const reader = createServiceProviderReader({ clock: fixture.clock, dev: false });
    const watched = createServiceProviders({
      read(application) {
        read.push(application.id);
        return reader.read(application);
      },
    });
    const ask = () => fixture.database.read((tx) => watched.findByEntityId(tx, entityId));
    await ask();
    expect(read).toEqual([id]);
    const about = { aggregateId: id, resourceOwner: organization };
    await fixture.record({ type: "application.deactivated", ...about, payload: {} });
    await ask();
    expect(read).toEqual([id]);
  });

  test("is a SAML application, and no other", async () => {
    const id = toId<ApplicationId>(fixture.context.ids.next());
    await fixture.record({
      type: "application.api.added",
      aggregateId: id,
      resourceOwner: organization,
      payload: { project_id: project, name: "api", auth_method_type: "BASIC" },
    });
    expect(await byId(id)).toBeUndefined();
    expect(await byId("x")).toBeUndefined();
  });
});
