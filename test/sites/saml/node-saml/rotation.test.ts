// A new signing key of ours, as a service provider with node-saml sees it that has read the certificates before.
import { afterAll, expect, test } from "@jest/globals";
import { SigningKeyUse } from "../../../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { endLogin } from "../../oidc/support/user-agent.ts";
import { startService } from "../../../support/service.ts";
import { addNodeSamlParty } from "./node-saml.ts";
import { createSamlPlace, publishedCertificates } from "./saml-place.ts";

const service = await startService();
const place = await createSamlPlace(service);
afterAll(() => service.stop());

const rotate = (revokeOld: boolean) =>
  service.call(SigningKeyService.method.rotateSigningKeys, { use: SigningKeyUse.SAML, revokeOld });

test("a new key is published before it signs, and who has read it by then notices nothing", async () => {
  const early = await addNodeSamlParty(place);
  const browser = place.openBrowser();
  const { profile } = await early.take(await endLogin(browser, await early.ask(browser), place.person));
  expect(profile?.nameID).toBe(place.email);

  await rotate(false);
  const [first, ...next] = await publishedCertificates(place);
  expect(next).toHaveLength(1);
  const prepared = await addNodeSamlParty(place);
  for (const party of [early, prepared])
    expect((await party.take(await party.ask(browser))).profile?.nameID).toBe(place.email);
  await expect(rotate(false)).rejects.toThrow("SAML_KEY_NOT_READY");

  // At once: the clock of node-saml is that of the machine, which nobody can turn by a day.
  await rotate(true);
  expect(await publishedCertificates(place)).toEqual(next);
  expect(next).not.toContain(first);
  expect((await prepared.take(await prepared.ask(browser))).profile?.nameID).toBe(place.email);
  await expect(early.take(await early.ask(browser))).rejects.toThrow("Invalid document signature");
});
