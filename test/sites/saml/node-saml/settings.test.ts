// What the settings of an application, and the rest of its metadata, change for service providers with node-saml.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ValidateInResponseTo } from "@node-saml/node-saml";
import { SamlEncryption, SamlNameIdFormat } from "../../../../gen/gatehouse/v1/application_pb.ts";
import {
  ApplicationService,
  type UpdateSamlSettingsRequestSchema,
} from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { endLogin, type UserAgent } from "../../oidc/support/user-agent.ts";
import { startService, type TestService } from "../../../support/service.ts";
import { createCaller } from "../../../support/world.ts";
import { messageOf } from "./message-of.ts";
import { addNodeSamlParty, type NodeSamlParty, type PartyChoices } from "./node-saml.ts";
import { makePartyKeys } from "./party-keys.ts";
import { createSamlPlace, type ServicePlace } from "./saml-place.ts";

const keys = makePartyKeys();

let service: TestService;
let place: ServicePlace;
/** The person has a session in it. */
let browser: UserAgent;
beforeAll(async () => {
  service = await startService();
  place = await createSamlPlace(service);
  browser = place.openBrowser();
  const party = await add({});
  await endLogin(browser, await party.ask(browser), place.person);
});
afterAll(() => service.stop());

/** Adds a service provider whose application has these settings. */
async function add(
  settings: MessageInitShape<typeof UpdateSamlSettingsRequestSchema>,
  choices: PartyChoices = {},
): Promise<NodeSamlParty> {
  const party = await addNodeSamlParty(place, choices);
  const { projectId } = place;
  const call = createCaller(service, place.organizationId);
  await call(ApplicationService.method.updateSamlSettings, { projectId, appId: party.appId, ...settings });
  return party;
}

async function profileAt(party: NodeSamlParty) {
  const { profile } = await party.take(await party.ask(browser));
  if (profile === null) throw new Error("nobody has logged in");
  return profile;
}

describe("the setting", () => {
  test("of signed requests refuses those without a signature", async () => {
    const party = await add({ requireSignedRequests: true });
    const { page, posted } = await party.ask(browser);
    expect([page?.status, posted]).toEqual([400, undefined]);
    const signing = await add({ requireSignedRequests: true }, { signing: keys });
    expect((await profileAt(signing)).nameID).toBe(place.email);
  });

  test("of encryption sends nothing without a key, or nothing encrypted", async () => {
    const withoutKey = await add({ encryption: SamlEncryption.REQUIRED });
    const { page, posted } = await withoutKey.ask(browser);
    expect([page?.status, posted]).toEqual([403, undefined]);
    const never = await add({ encryption: SamlEncryption.NEVER }, { encryption: keys });
    const visited = await never.ask(browser);
    expect(messageOf(visited)).toContain(place.email);
    expect((await never.take(visited)).profile?.nameID).toBe(place.email);
  });

  test("of NameIDs names users so, whatever was asked for", async () => {
    const named = await profileAt(await add({ nameIdFormat: SamlNameIdFormat.USERNAME }));
    expect([named.nameID, named.nameIDFormat]).toEqual([
      place.person.username,
      "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
    ]);
    const hidden = await profileAt(await add({ nameIdFormat: SamlNameIdFormat.PERSISTENT }));
    expect(hidden).toMatchObject({
      nameIDFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      nameQualifier: `${place.issuer}/saml/v2/metadata`,
    });
  });

  test("of attributes tells these, and no others", async () => {
    const attributes = [
      {
        name: "urn:oid:0.9.2342.19200300.100.1.3",
        source: "Email",
        nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri",
      },
      { name: "tenant", constant: "lamps & <more>" },
    ];
    expect((await profileAt(await add({ attributes })))["attributes"]).toEqual({
      "urn:oid:0.9.2342.19200300.100.1.3": place.email,
      tenant: "lamps & <more>",
    });
  });

  test("of logins that begin here lets them, with the RelayState of the address or its own", async () => {
    const saml = { validateInResponseTo: ValidateInResponseTo.ifPresent };
    const closed = await add({}, { saml });
    const start = ({ appId }: NodeSamlParty, query = "") =>
      browser.open(`${place.issuer}/saml/v2/start/${appId}${query}`);
    const refused = await start(closed);
    expect([refused.page?.status, refused.posted]).toEqual([403, undefined]);
    const party = await add({ allowIdpInitiated: true, defaultRelayState: "/home?a=b" }, { saml });
    expect(await party.take(await start(party))).toMatchObject({
      relayState: "/home?a=b",
      profile: { nameID: place.email },
    });
    expect((await party.take(await start(party, "?RelayState=%2Fother"))).relayState).toBe("/other");
    const fresh = place.openBrowser();
    const page = await fresh.open(`${place.issuer}/saml/v2/start/${party.appId}`);
    expect(await party.take(await endLogin(fresh, page, place.person))).toMatchObject({
      profile: { nameID: place.email },
    });
  });
});

describe("the metadata", () => {
  test("that ask for attributes get these too, under the names that they ask with, or only these", async () => {
    const uri = "urn:oasis:names:tc:SAML:2.0:attrname-format:uri";
    const asked = (name: string) => `<RequestedAttribute Name="${name}" NameFormat="${uri}"/>`;
    const requested =
      '<AttributeConsumingService index="1" isDefault="true"><ServiceName xml:lang="en">Portal</ServiceName>' +
      `${asked("urn:oid:2.5.4.42")}${asked("urn:oid:2.5.4.4")}${asked("urn:oid:9.9.9")}</AttributeConsumingService>`;
    const metadata = (text: string) => text.replace("</SPSSODescriptor>", `${requested}</SPSSODescriptor>`);
    const wanted = { "urn:oid:2.5.4.42": "Grace", "urn:oid:2.5.4.4": "Hopper" };
    const visited = await (await addNodeSamlParty(place, { metadata })).ask(browser);
    expect(messageOf(visited)).toContain(uri);
    const all = (await profileAt(await addNodeSamlParty(place, { metadata })))["attributes"];
    expect(all).toMatchObject({ ...wanted, FirstName: "Grace", SurName: "Hopper" });
    expect(all).toHaveProperty("UserID");
    const only = await add({ onlyRequestedAttributes: true }, { metadata });
    expect((await profileAt(only))["attributes"]).toEqual(wanted);
  });

  test("that name no format get the one of the request, and those that name one get it if the request does not", async () => {
    const transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
    const metadata = (text: string) => text.replace(/(<NameIDFormat>)[^<]*/, `$1${transient}`);
    const party = await addNodeSamlParty(place, {
      metadata,
      saml: { identifierFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified" },
    });
    expect((await profileAt(party)).nameIDFormat).toBe(transient);
  });
});
