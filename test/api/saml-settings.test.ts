import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { SamlEncryption, SamlNameIdFormat } from "../../gen/gatehouse/v1/application_pb.ts";
import {
  ApplicationService,
  type UpdateSamlSettingsRequestSchema,
} from "../../gen/gatehouse/v1/application_service_pb.ts";
import { keyDescriptor, keyValue, rsaKeyOf } from "../identity/applications/saml/key-elements.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import { idOf, uniqueName, type World } from "../support/world.ts";
import { everyLane, onEveryLane, type Setting, startSetting } from "./support/lanes.ts";
import { bytes, initialSettings, metadata, newEntityId, oneService } from "./support/saml-documents.ts";

const { method } = ApplicationService;

let service: Setting["service"];
let callOn: Setting["callOn"];
let world: World;
let other: World;
let app: { readonly projectId: string; readonly appId: string };
beforeAll(async () => {
  ({ service, callOn, world, other } = await startSetting());
});
afterAll(() => service.stop());
beforeEach(async () => {
  app = await create();
});

async function create(services = oneService) {
  // The prefix of the descriptors is that of another helper.
  const document = metadata({
    services: services.replaceAll("md:", "m:"),
    entityId: newEntityId(),
  });
  const request = { projectId: world.projectId, name: uniqueName("Portal"), metadataXml: bytes(document) };
  const token = world.owner.token;
  const answer = answerOf(await callOn.grpc(method.createSamlApplication, request, { token }));
  return { projectId: world.projectId, appId: idOf(answer, "appId") };
}

type Settings = Omit<MessageInitShape<typeof UpdateSamlSettingsRequestSchema>, "$typeName" | "$unknown">;

const everything: Settings = {
  requireSignedRequests: true,
  encryption: SamlEncryption.REQUIRED,
  nameIdFormat: SamlNameIdFormat.EMAIL_ADDRESS,
  allowIdpInitiated: true,
  defaultRelayState: "/start?a=b&c=\u{1F511}",
  logoutDisabled: true,
  attributes: [
    { name: "mail", nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri", source: "Email" },
    { name: "tenant", constant: "Zoë & <co>" },
  ],
  onlyRequestedAttributes: true,
};
const shown = {
  requireSignedRequests: true,
  encryption: "SAML_ENCRYPTION_REQUIRED",
  nameIdFormat: "SAML_NAME_ID_FORMAT_EMAIL_ADDRESS",
  allowIdpInitiated: true,
  defaultRelayState: "/start?a=b&c=\u{1F511}",
  logoutDisabled: true,
  attributes: [
    {
      name: "mail",
      nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri",
      source: "Email",
      constant: "",
    },
    { name: "tenant", nameFormat: "", source: "", constant: "Zoë & <co>" },
  ],
  onlyRequestedAttributes: true,
};

const update = (settings: Settings, lane: keyof Setting["callOn"] = "grpc", token = world.owner.token) =>
  callOn[lane](method.updateSamlSettings, { ...app, ...settings }, { token });
const read = async (named = app) => {
  const answer = await callOn.grpc(method.getApplication, named, { token: world.owner.token });
  return answerOf(answer)["application"] as JsonObject;
};
const countEvents = async () =>
  (await service.place.raw.peek(`SELECT 1 FROM events WHERE aggregate_id = '${app.appId}'`)).length;

describe("UpdateSamlSettings", () => {
  test.each(everyLane)("replaces all settings over %s, and a read shows them", async (lane) => {
    const { details } = answerOf(await update(everything, lane));
    expect(await read()).toMatchObject({ details, saml: shown });
    const reset = answerOf(await update({}, lane));
    expect(await read()).toMatchObject({ details: reset["details"], saml: initialSettings });
  });

  test("leaves metadata, name and state alone, and new metadata leaves the settings", async () => {
    const before = await read();
    await update(everything);
    const after = await read();
    const unchanged = (application: JsonObject) => {
      const { entityId, metadataXml } = application["saml"] as JsonObject;
      return [entityId, metadataXml, application["name"], application["state"]];
    };
    expect(unchanged(after)).toEqual(unchanged(before));
    const entityId = newEntityId();
    const replaced = { ...app, metadataXml: bytes(metadata({ entityId })) };
    answerOf(await callOn.json(method.updateSamlConfig, replaced, { token: world.owner.token }));
    expect((await read())["saml"]).toMatchObject({ entityId, ...shown });
  });

  test("is for those who may write applications of this organization", async () => {
    const answers = await onEveryLane(async (lane) => [
      refusalOf(await update(everything, lane, world.viewer.token)).reason,
      refusalOf(await update(everything, lane, other.owner.token)).reason,
    ]);
    expect(answers).toEqual(
      Object.fromEntries(everyLane.map((lane) => [lane, ["PERMISSION_DENIED", "NOT_FOUND"]])),
    );
    expect((await read())["saml"]).toMatchObject(initialSettings);
  });
});

describe("settings that cannot be are refused, and name their field", () => {
  const attribute = { name: "a", constant: "b" };
  const wrong: readonly (readonly [string, Settings, readonly string[]])[] = [
    ["a relay state of 1025 characters", { defaultRelayState: "x".repeat(1025) }, ["default_relay_state"]],
    ["a relay state with a line break", { defaultRelayState: "a\nb" }, ["default_relay_state"]],
    [
      "51 attributes",
      { attributes: Array.from({ length: 51 }, (_, at) => ({ name: `a${at}`, constant: "b" })) },
      ["attributes"],
    ],
    ["an attribute without a name", { attributes: [{ constant: "b" }] }, ["attributes[0].name"]],
    ["a blank name", { attributes: [{ ...attribute, name: " \u3000" }] }, ["attributes[0].name"]],
    [
      "a name of 257 characters",
      { attributes: [{ ...attribute, name: "n".repeat(257) }] },
      ["attributes[0].name"],
    ],
    [
      "a control character in a name",
      { attributes: [{ ...attribute, name: "a\tb" }] },
      ["attributes[0].name"],
    ],
    ["the same name twice", { attributes: [attribute, attribute] }, ["attributes[1].name"]],
    ["neither source nor constant", { attributes: [{ name: "a" }] }, ["attributes[0]"]],
    ["both", { attributes: [{ ...attribute, source: "Email" }] }, ["attributes[0]"]],
    ["an unknown source", { attributes: [{ name: "a", source: "email" }] }, ["attributes[0].source"]],
    [
      "a constant of 1025 characters",
      { attributes: [{ name: "a", constant: "x".repeat(1025) }] },
      ["attributes[0].constant"],
    ],
    ["a control character", { attributes: [{ name: "a", constant: "\u0001" }] }, ["attributes[0].constant"]],
    [
      "what XML does not have",
      { attributes: [{ name: "a", constant: "\uFFFE" }] },
      ["attributes[0].constant"],
    ],
    [
      "what XML does not have, in a format",
      { attributes: [{ ...attribute, nameFormat: "\uFFFF" }] },
      ["attributes[0].name_format"],
    ],
    ["an unknown encryption", { encryption: 7 as SamlEncryption }, ["encryption"]],
    ["an unknown format", { nameIdFormat: 9 as SamlNameIdFormat }, ["name_id_format"]],
  ];

  test.each(wrong)("%s", async (_what, settings, fields) => {
    expect(refusalOf(await update(settings))).toMatchObject({ code: 3, reason: "FIELD_INVALID", fields });
    expect(await countEvents()).toBe(1);
  });

  test("the longest of everything is taken", async () => {
    const name = "\u{1F511}".repeat(256);
    const attributes = [
      { name, nameFormat: "f".repeat(256), constant: "\u{1F511}".repeat(1024) },
      ...Array.from({ length: 49 }, (_, at) => ({ name: `a${at}`, source: "Roles" })),
    ];
    answerOf(await update({ defaultRelayState: "\u{1F511}".repeat(1024), attributes }));
    const saml = (await read())["saml"] as JsonObject;
    const stored = saml["attributes"] as readonly JsonObject[];
    expect([stored.length, stored[0]?.["name"]]).toEqual([50, name]);
  });
});

describe("what the metadata says of its keys", () => {
  const key = keyDescriptor(keyValue(rsaKeyOf(1024)), { use: "signing" });

  test("a read shows certificates and problems, also those of the settings; a list does not", async () => {
    app = await create(`${key}${oneService}`);
    await update({ encryption: SamlEncryption.REQUIRED });
    const { saml } = await read();
    expect(saml).toMatchObject({
      serviceProviderCertificates: [
        { use: "signing", keyType: "RSA 1024", fingerprintSha256: expect.stringMatching(/^[\da-f]{64}$/) },
      ],
      problems: [
        "encryption is required, but the metadata has no RSA key of 2048 to 8192 bits with a cipher that can be used: nobody can log in",
        "RSA keys with less than 2048 bits are not safe: the metadata has 1",
      ],
    });
    const asked = { projectId: world.projectId, pageSize: 1000 };
    const listed = answerOf(await callOn.json(method.listApplications, asked, { token: world.owner.token }));
    const applications = listed["applications"] as readonly JsonObject[];
    expect(applications.find(({ id }) => id === app.appId)?.["saml"]).toMatchObject({
      encryption: "SAML_ENCRYPTION_REQUIRED",
      metadataXml: "",
      serviceProviderCertificates: [],
      problems: [],
    });
  });
});
