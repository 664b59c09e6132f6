import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import { createPasswordHasher } from "../../../../src/identity/people/passwords/hasher.ts";
import { testPasswordCost } from "../../../support/password-cost.ts";
import { putPasswordHash } from "../../../../src/identity/people/passwords/repository.ts";
import { canaries } from "../../../support/canaries.ts";
import type { TestService } from "../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../support/world.ts";

/** A user of a whole service who can log in. */
export interface ServicePerson {
  readonly id: UserId;
  readonly username: string;
}

/** The password of everybody: one hash is enough. */
export const password = "correct horse battery staple";

let hash: Promise<string> | undefined;

/** Adds a user with the password. */
export async function addPerson(service: TestService, organizationId: string): Promise<ServicePerson> {
  hash ??= createPasswordHasher({
    parallelism: 1,
    maxWaiting: 64,
    random: systemRandom,
    cost: testPasswordCost,
  }).hash(password);
  canaries.add("password", password);
  const username = uniqueName("person").toLowerCase().replaceAll(" ", "-");
  const added = await createCaller(service, organizationId)(UserService.method.addHumanUser, {
    username,
    givenName: "Ada",
    familyName: "Lovelace",
    email: "ada@example.com",
  });
  const id = toId<UserId>(idOf(added, "userId"));
  const { database, log } = service.context;
  const encoded = await hash;
  await database.write(async (tx) => {
    await putPasswordHash(tx, id, encoded);
    const origin = { editor: id, remoteAddress: undefined, requestId: "test" } as const;
    const payload = { change_required: false, by: id } as const;
    await log.append(tx, origin, [
      { type: "user.password.set", aggregateId: id, resourceOwner: organizationId, payload },
    ]);
  });
  return { id, username };
}

/** Makes an organization and returns its id. */
export async function addOrganization(service: TestService, name: string): Promise<string> {
  const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName(name) });
  return idOf(added, "organizationId");
}
