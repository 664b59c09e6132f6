// Gatehouse as the provider of SAML of another Gatehouse: each reads the metadata of the other, and the assertion is encrypted.
import { afterAll, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { startService } from "../../../support/service.ts";
import { createCaller, uniqueName } from "../../../support/world.ts";
import { createLoginPlace, createPerson } from "../../oidc/support/login-place.ts";
import { openSignedIn } from "../../saml/support/scripted-party.ts";
import { leaveForProvider, listUsers, openBrowser } from "../support/place.ts";
import { acsOf, createSamlPlace } from "./support/saml-place.ts";

const service = await startService({ dev: true });
const upstream = await startService({ dev: true });
afterAll(async () => {
  await service.stop();
  await upstream.stop();
});

async function read(from: typeof service, path: string): Promise<string> {
  return (await from.http.send({ method: "GET", path, headers: {} })).text;
}

test("somebody logs in at one, and has an account at the other", async () => {
  const there = await createLoginPlace(upstream);
  const person = await createPerson(upstream, there.organizationId);
  const call = createCaller(upstream, there.organizationId);
  await call(ApplicationService.method.createSamlApplication, {
    projectId: there.projectId,
    name: uniqueName("Gatehouse"),
    metadataXml: Buffer.from(await read(service, "/idps/saml/metadata")),
  });
  const entityId = `http://localhost:${upstream.port}/saml/v2/metadata`;
  const place = await createSamlPlace(service, {
    entityId,
    metadata: await read(upstream, "/saml/v2/metadata"),
  });
  const logInThere = async () => {
    const browser = openBrowser(service);
    const left = await leaveForProvider(service, place, browser);
    const answered = await (await openSignedIn(upstream, person.userId)).open(left.href);
    expect(answered.url.href).toBe(acsOf(service));
    const xml = Buffer.from(new Map(answered.posted).get("SAMLResponse") ?? "", "base64").toString();
    expect(xml).toContain("<saml:EncryptedAssertion");
    return { browser, end: await browser.post(acsOf(service), answered.posted ?? []) };
  };
  // The address there is not verified, so the assertion does not have it, and the page asks for one.
  const first = await logInThere();
  const email = `${uniqueName("mail").replaceAll(" ", "-")}@upstream.example`;
  expect((await first.browser.submit(first.end, { email })).url.searchParams.has("code")).toBe(true);
  expect((await logInThere()).end.url.searchParams.has("code")).toBe(true);
  expect(await listUsers(service, place)).toMatchObject([{ username: person.username }]);
});
