// Every kind of SAML message that Gatehouse writes is valid against the schemas of OASIS.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { SamlEncryption } from "../../gen/gatehouse/v1/application_pb.ts";
import { createLoginPlace, createPerson } from "../sites/oidc/support/login-place.ts";
import { endLogin, type UserAgent, type Visited } from "../sites/oidc/support/user-agent.ts";
import {
  addNodeSamlParty,
  type NodeSamlParty,
  type PartyChoices,
} from "../sites/saml/node-saml/node-saml.ts";
import { makePartyKeys } from "../sites/saml/node-saml/party-keys.ts";
import { createSamlPlace, readMetadata, type SamlPlace } from "../sites/saml/node-saml/saml-place.ts";
import { messageOf } from "../sites/saml/node-saml/message-of.ts";
import {
  addScriptedParty,
  openBrowser,
  openSignedIn,
  type ScriptedParty,
} from "../sites/saml/support/scripted-party.ts";
import { startService, type TestService } from "../support/service.ts";
import { createCaller, createProject } from "../support/world.ts";
import { openSchemas, requireSchemas, type Schemas } from "./support/schemas.ts";

test("missing schemas are an error that says what to install", () => {
  expect(() => requireSchemas("/nowhere")).toThrow(
    "install the packages libxml2-utils, opensaml-schemas and xmltooling-schemas",
  );
});

const keys = makePartyKeys();
let service: TestService;
let place: SamlPlace;
let schemas: Schemas;
let browser: UserAgent;
beforeAll(async () => {
  schemas = openSchemas();
  service = await startService();
  place = await createSamlPlace(service);
  browser = place.openBrowser();
  const party = await add();
  await endLogin(browser, await party.ask(browser), place.person);
});
afterAll(async () => {
  schemas?.remove();
  await service?.stop();
});

const add = (choices: PartyChoices = {}) => addNodeSamlParty(place, { signing: keys, ...choices });
const redirectLogout = (text: string) =>
  text.replace(/(<SingleLogoutService Binding="[^"]*)HTTP-POST/, "$1HTTP-Redirect");

/** Asks as somebody does who has a session, and returns what is sent back. */
async function answerTo(party: NodeSamlParty, agent = browser): Promise<string> {
  return messageOf(await party.ask(agent));
}

test("the schemas find what is wrong", async () => {
  const xml = await readMetadata(place);
  expect(schemas.complaintsOf("metadata", xml.replace(' entityID="', ' id="'))).toContain("entityID");
  expect(schemas.complaintsOf("protocol", xml)).toContain("No matching global declaration");
});

test("the metadata is valid", async () => {
  expect(schemas.complaintsOf("metadata", await readMetadata(place))).toBe("");
});

describe("a valid Response", () => {
  const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
  const transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
  test.each<[string, PartyChoices, string]>([
    ["an email address", {}, "Success"],
    ["a persistent name", { saml: { identifierFormat: persistent } }, "Success"],
    ["a transient name", { saml: { identifierFormat: transient } }, "Success"],
    ["an encrypted assertion", { encryption: keys }, "EncryptedAssertion"],
    ["NoAuthnContext", { saml: { authnContext: ["urn:x"] } }, "NoAuthnContext"],
    ["InvalidNameIDPolicy", { saml: { identifierFormat: "urn:x" } }, "InvalidNameIDPolicy"],
  ])("has %s", async (_what, choices, expected) => {
    const xml = await answerTo(await add(choices));
    expect(xml).toContain(expected);
    expect(schemas.complaintsOf("protocol", xml)).toBe("");
  });

  test("has NoPassive", async () => {
    const xml = await answerTo(await add({ saml: { passive: true } }), place.openBrowser());
    expect(xml).toContain("NoPassive");
    expect(schemas.complaintsOf("protocol", xml)).toBe("");
  });

  test("has RequestDenied", async () => {
    const projectId = await createProject(service, place.organizationId);
    const call = createCaller(service, place.organizationId);
    await call(ProjectService.method.updateProject, {
      id: projectId,
      name: "Closed",
      projectRoleCheck: true,
    });
    const xml = await answerTo(await add({ projectId }));
    expect(xml).toContain("RequestDenied");
    expect(schemas.complaintsOf("protocol", xml)).toBe("");
  });

  describe("to a request that says more", () => {
    let party: ScriptedParty;
    beforeAll(async () => {
      party = await addScriptedParty(service, place);
    });
    /** Reads an answer, and says what the schemas have against it. */
    const read = (visited: Visited) => {
      const { xml, status } = party.read(visited);
      return { xml, status, complaints: schemas.complaintsOf("protocol", xml) };
    };

    test("has AuthnFailed", async () => {
      const elsewhere = await createLoginPlace(service);
      const guest = await openSignedIn(
        service,
        (await createPerson(service, elsewhere.organizationId)).userId,
      );
      const asked = await party.ask(guest); // somebody of another organization is asked first
      const answer = read(await guest.submit(asked, { choice: "cancel" }));
      expect(answer).toMatchObject({ status: "Responder/AuthnFailed", complaints: "" });
    });

    test("has UnknownPrincipal", async () => {
      const content = "<saml:Subject><saml:NameID>nobody</saml:NameID></saml:Subject>";
      const agent = await openSignedIn(service, place.person.userId);
      const start = await party.ask(agent, { content });
      const answer = read(await endLogin(agent, start, place.person));
      expect(answer).toMatchObject({ status: "Responder/UnknownPrincipal", complaints: "" });
    });

    test("has RequestUnsupported", async () => {
      const content = '<saml:Subject><saml:BaseID Format="a"/></saml:Subject>';
      const answer = read(await party.ask(openBrowser(service), { content }));
      expect(answer).toMatchObject({ status: "Requester/RequestUnsupported", complaints: "" });
    });

    test("has an assertion with OneTimeUse", async () => {
      const content = "<saml:Conditions><saml:OneTimeUse/></saml:Conditions>";
      const agent = await openSignedIn(service, place.person.userId);
      const answer = read(await party.ask(agent, { content }));
      expect(answer).toMatchObject({ status: "Success", complaints: "" });
      expect(answer.xml).toContain("<saml:OneTimeUse>");
    });

    test("has an assertion with AuthenticatingAuthority", async () => {
      const agent = await openSignedIn(service, place.person.userId, ["IDP"]);
      const answer = read(await party.ask(agent));
      expect(answer).toMatchObject({ status: "Success", complaints: "" });
      expect(answer.xml).toContain("<saml:AuthenticatingAuthority>");
    });
  });

  test("has an assertion that nobody has asked for", async () => {
    const { appId } = await add();
    const call = createCaller(service, place.organizationId);
    const settings = {
      projectId: place.projectId,
      appId,
      allowIdpInitiated: true,
      encryption: SamlEncryption.NEVER,
    };
    await call(ApplicationService.method.updateSamlSettings, settings);
    const xml = messageOf(await browser.open(`${place.issuer}/saml/v2/start/${appId}`));
    expect(xml).not.toContain("InResponseTo");
    expect(schemas.complaintsOf("protocol", xml)).toBe("");
  });
});

describe.each([
  ["HTTP-POST", (text: string) => text],
  ["HTTP-Redirect", redirectLogout],
])("a message of logout by %s is valid:", (_binding, metadata) => {
  test("a LogoutResponse with UnknownPrincipal", async () => {
    const party = await add({ metadata });
    const profile = {
      issuer: "",
      nameID: "nobody@example.com",
      nameIDFormat: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    };
    const xml = messageOf(await browser.open(await party.saml.getLogoutUrlAsync(profile, "", {})));
    expect(xml).toContain("UnknownPrincipal");
    expect(schemas.complaintsOf("protocol", xml)).toBe("");
  });

  test("a LogoutRequest to another service provider, and the LogoutResponse, with PartialLogout and without", async () => {
    for (const [success, status] of [
      [false, "PartialLogout"],
      [true, "Success"],
    ] as const) {
      const own = await add({ metadata });
      const other = await add({ metadata });
      const fresh = place.openBrowser();
      const { profile } = await own.take(await endLogin(fresh, await own.ask(fresh), place.person));
      if (profile === null) throw new Error("nobody has logged in");
      await other.take(await other.ask(fresh));
      const visited = await fresh.open(await own.saml.getLogoutUrlAsync(profile, "", {}));
      const asked = messageOf(visited);
      expect(asked).toContain("LogoutRequest");
      expect(schemas.complaintsOf("protocol", asked)).toBe("");
      const [, id = ""] = / ID="([^"]+)"/.exec(asked) ?? [];
      const relayState =
        new URL(visited.url).searchParams.get("RelayState") ??
        Object.fromEntries(visited.posted ?? [])["RelayState"] ??
        "";
      const back = await other.saml.getLogoutResponseUrlAsync(
        { ...profile, ID: id },
        relayState,
        {},
        success,
      );
      const answered = messageOf(await fresh.open(back));
      expect(answered).toContain("LogoutResponse");
      expect(answered).toContain(status);
      expect(schemas.complaintsOf("protocol", answered)).toBe("");
    }
  });
});
