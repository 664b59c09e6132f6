import { expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Page } from "playwright-core";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { addPerson } from "../sites/login/support/people.ts";
import { idOf } from "../support/world.ts";
import { addDevice } from "./support/authenticator.ts";
import { useLoginStage } from "./support/login-stage.ts";

const { registerPasskey, verifyPasskey, listPasskeys, removePasskey } = UserService.method;
const stage = useLoginStage();

/** Lets the device make a passkey by the options of a registration, as a page of an application would. */
async function create(page: Page, options: unknown): Promise<JsonObject> {
  return await page.evaluate<JsonObject>(
    `(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)}.publicKey);
    return (await navigator.credentials.create({ publicKey })).toJSON();
  })()`,
  );
}

test("somebody registers a passkey by the API and logs in with it, without a name or a password", async () => {
  const { service, url, organizationId, profile } = stage();
  const { id: userId } = await addPerson(service, organizationId);
  const { page, complaints } = await profile();
  const device = await addDevice(page);
  await page.goto(url());
  const begun = await service.call(registerPasskey, { userId });
  const passkeyId = idOf(begun, "passkeyId");
  const publicKeyCredential = await create(page, begun["publicKeyCredentialCreationOptions"]);
  await service.call(verifyPasskey, { userId, passkeyId, publicKeyCredential, passkeyName: "Laptop" });
  const [held] = await device.list();
  expect([held?.isResidentCredential, Buffer.from(held?.userHandle ?? "", "base64").toString()]).toEqual([
    true,
    userId,
  ]);
  await page.getByRole("link", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Sign in with a passkey" }).waitFor();
  await device.setUser(false);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByText("No passkey was used").waitFor();
  await device.setUser(true);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Time Sheets" }).waitFor();
  expect((await service.call(listPasskeys, { userId }))["passkeys"]).toMatchObject([{ name: "Laptop" }]);

  await service.call(removePasskey, { userId, passkeyId });
  const { page: other, complaints: others } = await profile();
  await other.goto(url());
  expect([complaints, others]).toEqual([[], []]);
});

test("a passkey that was removed from the account is not accepted, and the page says so", async () => {
  const { service, url, organizationId, profile } = stage();
  const { id: userId } = await addPerson(service, organizationId);
  const { page, complaints } = await profile({ locale: "de-DE" });
  await addDevice(page);
  await page.goto(url());
  const begun = await service.call(registerPasskey, { userId });
  const passkeyId = idOf(begun, "passkeyId");
  const publicKeyCredential = await create(page, begun["publicKeyCredentialCreationOptions"]);
  await service.call(verifyPasskey, { userId, passkeyId, publicKeyCredential, passkeyName: "Laptop" });
  await service.call(removePasskey, { userId, passkeyId });
  await page.getByRole("link", { name: "Passkey verwenden" }).click();
  await page.getByRole("button", { name: "Passkey verwenden" }).click();
  await page.getByText("Der Passkey wurde nicht akzeptiert").waitFor();
  await page.getByRole("link", { name: "Anders anmelden" }).click();
  await page.getByRole("link", { name: "Passkey verwenden" }).waitFor();
  expect(complaints).toEqual([]);
});
