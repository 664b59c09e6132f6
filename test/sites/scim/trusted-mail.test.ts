import { afterAll, expect, it } from "@jest/globals";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createServiceUser } from "../../support/world.ts";
import { createDirectory, type Directory, person } from "./support/scim.ts";

const service = await startService();
afterAll(() => service.stop());
const { addServiceUser, getUser, setEmail, updateServiceUser } = UserService.method;

const emails = (value: string) => ({ emails: [{ value, type: "work", primary: true }] });
const nameOf = (userId: string) => ({ userId, username: `directory-${userId}`, name: "Directory" });

async function createTrusted(role = "ORGANIZATION_USER_MANAGER"): Promise<Directory> {
  const directory = await createDirectory(service, { role });
  await service.call(updateServiceUser, { ...nameOf(directory.userId), trustMail: true });
  return directory;
}

async function emailOf(userId: string) {
  const { user } = (await service.call(getUser, { userId })) as { user: { human: object } };
  const { email, isEmailVerified } = user.human as { email: string; isEmailVerified: boolean };
  return { email, isEmailVerified };
}

it("takes only an administrator of the instance to trust the addresses of a directory, and anybody to stop it", async () => {
  const { organizationId, userId } = await createTrusted();
  const owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  const as = createCaller(service, organizationId, owner.token);
  await as(updateServiceUser, { ...nameOf(userId), trustMail: true, description: "is so already" });
  await as(updateServiceUser, nameOf(userId));
  await expect(as(updateServiceUser, { ...nameOf(userId), trustMail: true })).rejects.toThrow(
    /PERMISSION_DENIED/,
  );
  const added = as(addServiceUser, { username: `other-${userId}`, name: "Directory", trustMail: true });
  await expect(added).rejects.toThrow(/PERMISSION_DENIED/);
});

it.each([
  ["with", { password: "a long password 7" }],
  ["without", {}],
])("verifies what a trusted directory sets, %s a password, and no other directory", async (_with, more) => {
  const trusted = await createTrusted();
  const id = await trusted.addUser(more);
  expect(await emailOf(id)).toMatchObject({ isEmailVerified: true });
  const next = person();
  const path = [
    { op: "replace", path: 'emails[type eq "work"].value', value: `x.${next.userName}@example.com` },
  ];
  expect((await trusted.send("PATCH", `/Users/${id}`, { Operations: path })).status).toBe(200);
  expect(await emailOf(id)).toEqual({ email: `x.${next.userName}@example.com`, isEmailVerified: true });
  await service.call(updateServiceUser, nameOf(trusted.userId));
  expect((await trusted.send("PUT", `/Users/${id}`, next)).status).toBe(200);
  expect(await emailOf(id)).toEqual({ email: next.emails[0]?.value, isEmailVerified: false });
  await service.call(updateServiceUser, { ...nameOf(trusted.userId), trustMail: true });
  expect((await trusted.send("PUT", `/Users/${id}`, next)).status).toBe(200);
  expect(await emailOf(id)).toMatchObject({ isEmailVerified: true });
});

it("does not take what others have set for the word of the directory", async () => {
  const trusted = await createTrusted();
  const sent = person();
  const id = await trusted.addUser(sent);
  const email = `other.${sent.userName}@example.com`;
  await service.call(setEmail, {
    userId: id,
    email,
    verification: { case: "returnCode", value: {} },
  });
  expect((await trusted.send("PUT", `/Users/${id}`, { ...sent, ...emails(email) })).status).toBe(200);
  expect(await emailOf(id)).toEqual({ email, isEmailVerified: false });
});

it("lets nobody log in with a role outside by an address of the directory", async () => {
  const trusted = await createTrusted();
  const userId = await trusted.addUser();
  const { organizationId } = await createDirectory(service);
  const scope = { case: "organizationId" as const, value: organizationId };
  const roles = ["ORGANIZATION_VIEWER"];
  await service.call(MembershipService.method.addMembership, { userId, scope, roles });
  expect(await emailOf(userId)).toMatchObject({ isEmailVerified: false });
  const sent = { ...person(), ...emails(`new.${userId}@example.com`) };
  expect((await trusted.send("PUT", `/Users/${userId}`, sent)).status).toBe(403);
});

it("keeps an address of the directory when its user gains what the directory holds in its organization", async () => {
  const trusted = await createTrusted();
  const userId = await trusted.addUser();
  const scope = { case: "organizationId" as const, value: trusted.organizationId };
  const roles = ["ORGANIZATION_USER_MANAGER"];
  await service.call(MembershipService.method.addMembership, { userId, scope, roles });
  expect(await emailOf(userId)).toMatchObject({ isEmailVerified: true });
});
