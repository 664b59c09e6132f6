import { describe, expect, test } from "@jest/globals";
import { createdDetails } from "../../../../src/kernel/base/details.ts";
import { type ApplicationId, type ProjectId, toId } from "../../../../src/kernel/base/ids.ts";
import {
  changeSamlSettings,
  refreshMetadata,
  type SamlApplication,
} from "../../../../src/identity/applications/saml/saml-application.ts";
import type { SamlConfig } from "../../../../src/identity/applications/saml/saml-config.ts";
import {
  initialSamlSettings,
  type SamlSettings,
  toSamlSettings,
  toSamlSettingsPayload,
} from "../../../../src/identity/applications/saml/saml-settings.ts";
import { services } from "./metadata-server.ts";

const url = "https://sp.example.com/metadata";
const metadata = (entityId: string, xml = "<a/>") => ({
  entityId,
  xml,
  assertionConsumerServices: services,
  validUntilMs: undefined,
});
const applicationWith = (saml: Partial<SamlConfig>): SamlApplication => ({
  id: toId<ApplicationId>("30"),
  details: createdDetails(1, "10"),
  state: "ACTIVE",
  projectId: toId<ProjectId>("20"),
  name: "n",
  kind: "saml",
  saml: {
    metadata: undefined,
    metadataUrl: url,
    metadataFetchDate: undefined,
    metadataState: "PENDING",
    metadataError: "SAML_METADATA_UNREACHABLE",
    settings: initialSamlSettings,
    ...saml,
  },
});
const pending = applicationWith({});
const ready = applicationWith({ metadata: metadata("e"), metadataState: "READY", metadataError: "" });
const readyButDown = applicationWith({ ...ready.saml, metadataError: "SAML_METADATA_UNREACHABLE" });
const failed = applicationWith({
  ...ready.saml,
  metadataState: "FAILED",
  metadataError: "SAML_METADATA_ROOT",
});
const failure = (error: string, isFinal: boolean) => [
  {
    type: "application.metadata.failed",
    aggregateId: "30",
    resourceOwner: "10",
    payload: { error, is_final: isFinal },
  },
];

describe("refreshMetadata without a document", () => {
  test.each([
    ["pending", pending, failure("SAML_METADATA_ROOT", true)],
    ["ready", ready, failure("SAML_METADATA_ROOT", true)],
    ["failed for the same reason", failed, []],
  ])("to use: a %s application", (_name, application, events) => {
    expect(refreshMetadata(application, { kind: "unusable", reason: "SAML_METADATA_ROOT" }, false)).toEqual(
      events,
    );
  });

  test("to use, for another reason than before, says the new one", () => {
    expect(refreshMetadata(failed, { kind: "unusable", reason: "SAML_METADATA_EXPIRED" }, false)).toEqual(
      failure("SAML_METADATA_EXPIRED", true),
    );
  });

  test("because its server refuses, after it was not reachable, is final", () => {
    expect(
      refreshMetadata(pending, { kind: "unusable", reason: "SAML_METADATA_UNREACHABLE" }, false),
    ).toEqual(failure("SAML_METADATA_UNREACHABLE", true));
  });

  test.each([
    ["pending: nothing new", pending, []],
    ["ready: says so and stays", ready, failure("SAML_METADATA_UNREACHABLE", false)],
    ["ready, known to be down: nothing new", readyButDown, []],
    ["failed: keeps the better reason", failed, []],
  ])("because its server cannot be reached: %s", (_name, application, events) => {
    expect(refreshMetadata(application, { kind: "unreachable" }, false)).toEqual(events);
  });
});

describe("changeSamlSettings", () => {
  const settings: SamlSettings = {
    requireSignedRequests: true,
    encryption: "REQUIRED",
    nameIdFormat: "TRANSIENT",
    allowIdpInitiated: true,
    defaultRelayState: "/start",
    isLogoutDisabled: true,
    attributes: [
      { kind: "source", name: "mail", nameFormat: "urn:f", source: "Email" },
      { kind: "constant", name: "tenant", nameFormat: "", constant: "one" },
    ],
    onlyRequestedAttributes: true,
  };
  const recorded = {
    require_signed_requests: true,
    encryption: "REQUIRED",
    name_id_format: "TRANSIENT",
    allow_idp_initiated: true,
    default_relay_state: "/start",
    logout_disabled: true,
    attributes: [
      { name: "mail", name_format: "urn:f", source: "Email" },
      { name: "tenant", name_format: "", constant: "one" },
    ],
    only_requested_attributes: true,
  };

  test("records all of them, whatever the state of the metadata", () => {
    for (const application of [pending, ready, failed]) {
      expect(changeSamlSettings(application, settings)).toEqual([
        {
          type: "application.saml.settings.changed",
          aggregateId: "30",
          resourceOwner: "10",
          payload: recorded,
        },
      ]);
    }
  });

  test("records nothing when they are the same", () => {
    expect(changeSamlSettings(applicationWith({ settings }), settings)).toEqual([]);
    expect(changeSamlSettings(pending, initialSamlSettings)).toEqual([]);
  });

  test("another order of attributes is a change, and so is going back to none", () => {
    const turned = { ...settings, attributes: settings.attributes.toReversed() };
    expect(changeSamlSettings(applicationWith({ settings }), turned)).toHaveLength(1);
    expect(changeSamlSettings(applicationWith({ settings }), initialSamlSettings)).toHaveLength(1);
  });

  test("what is recorded is what is read", () => {
    expect(toSamlSettings(toSamlSettingsPayload(settings))).toEqual(settings);
    expect(toSamlSettings(toSamlSettingsPayload(initialSamlSettings))).toEqual(initialSamlSettings);
  });
});
