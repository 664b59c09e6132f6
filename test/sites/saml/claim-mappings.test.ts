// Claims of one's own in assertions (rule H2).
import { afterAll, expect, test } from "@jest/globals";
import { ClaimSource, ClaimTarget, ClaimType } from "../../../gen/gatehouse/v1/claim_mapping_pb.ts";
import { ClaimMappingService } from "../../../gen/gatehouse/v1/claim_mapping_service_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { createLoginPlace, createPerson } from "../oidc/support/login-place.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createWorld } from "../../support/world.ts";
import { addScriptedParty, openSignedIn } from "./support/scripted-party.ts";

const service = await startService();
const place = await createLoginPlace(service);
const party = await addScriptedParty(service, place);
const inside = createCaller(service, place.organizationId);
afterAll(() => service.stop());

const targets = [ClaimTarget.SAML];
const metadataOf = (name: string, key: string, type: ClaimType = ClaimType.STRING) => ({
  name,
  source: ClaimSource.USER_METADATA,
  key,
  type,
  targets,
});
const set = (mappings: readonly object[]) =>
  inside(ClaimMappingService.method.setApplicationClaimMappings, {
    projectId: place.projectId,
    appId: party.appId,
    mappings: [...mappings],
  });
const setMetadata = (userId: string, key: string, value: string) =>
  service.call(MetadataService.method.setUserMetadata, { userId, key, value: Buffer.from(value) });

test("are attributes of texts beside all others, whatever their scope; what XML cannot hold is left out", async () => {
  const person = await createPerson(service, place.organizationId);
  await setMetadata(person.userId, "tags", '["a","<b>"]');
  await setMetadata(person.userId, "bad", "\u0001");
  await set([
    { ...metadataOf("tags", "tags", ClaimType.LIST), scope: "hr" },
    metadataOf("bad", "bad"),
    {
      name: "https://example.com/env",
      source: ClaimSource.CONSTANT,
      constant: "7",
      type: ClaimType.NUMBER,
      targets,
    },
    { name: "elsewhere", source: ClaimSource.CONSTANT, constant: "x", targets: [ClaimTarget.ID_TOKEN] },
  ]);
  const answer = party.read(await party.ask(await openSignedIn(service, person.userId)));
  const { attributes } = answer.assertion ?? {};
  expect(attributes).toMatchObject({
    UserID: [person.userId],
    tags: ["a", "<b>"],
    "https://example.com/env": ["7"],
  });
  expect(Object.keys(attributes ?? {})).not.toEqual(expect.arrayContaining(["bad"]));
  expect(Object.keys(attributes ?? {})).not.toEqual(expect.arrayContaining(["elsewhere"]));
});

test("of users of another organization need that it shares the key, and a page that names it", async () => {
  const home = await createWorld(service);
  const { userId } = await createPerson(service, home.organizationId);
  await setMetadata(userId, "badge", "B-7");
  await set([metadataOf("badge", "badge")]);
  const shared = [{ key: "badge", sharedWith: [place.organizationId] }];
  await service.call(ClaimMappingService.method.setUserMetadataSharing, { id: home.organizationId, shared });
  const page = await party.ask(await openSignedIn(service, userId));
  expect(page.page?.text).toContain("stored about you under “<bdi>badge</bdi>”");
});
