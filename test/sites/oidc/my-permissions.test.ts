import { afterAll, describe, expect, test } from "@jest/globals";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { permissionsOf, type Role } from "../../../src/kernel/base/permission.ts";
import { lanes } from "../../support/clients.ts";
import { answerOf } from "../../support/service.ts";
import { createServiceUser, idOf } from "../../support/world.ts";
import { apiScope, createMachine, getAccessToken } from "./support/machine.ts";
import { createGateway, scopeFor } from "./support/exchange.ts";
import { startExchangeGround } from "./support/exchange-ground.ts";

// What GetMyPermissions tells of access tokens of OAuth: the roles that the token of the call carries.

const ground = await startExchangeGround();
afterAll(() => ground.service.stop());

const { getMyPermissions, addMembership } = MembershipService.method;
const users = UserService.method;

async function give(userId: string, role: Role): Promise<void> {
  const scope = { case: "organizationId" as const, value: ground.organizationId };
  await ground.service.call(addMembership, { userId, scope, roles: [role] });
}

/** Asks on every content type, and returns the answer, which is the same on all of them. */
async function ask(token: string): Promise<unknown> {
  const answers = await Promise.all(
    lanes.map(async (lane) =>
      answerOf(await ground.service.clients[lane].call(getMyPermissions, {}, { token })),
    ),
  );
  expect(answers).toEqual(lanes.map(() => answers[0]));
  return answers[0]?.["scopes"];
}

const told = (role: Role) => [
  {
    organizationId: ground.organizationId,
    permissions: [...permissionsOf([role])].toSorted(),
    resourceOwner: ground.organizationId,
  },
];

describe.each(["BEARER", "JWT"] as const)("an access token of the type %s", (tokens) => {
  /** Makes an application that exchanges tokens for others that may call our API. */
  const createExchanger = () => createGateway(ground.service, ground.organizationId, { apiAccess: true });

  test("of a service user has the permissions that its secret carries, and so has one got for it", async () => {
    const { service, organizationId } = ground;
    const manager = await createServiceUser(service, organizationId, "ORGANIZATION_USER_MANAGER");
    const machine = await createMachine(service, organizationId, { tokens });
    const { userId } = machine;
    const gateway = await createExchanger();
    const scope = `${apiScope} ${scopeFor(gateway)}`;
    const askFor = async (by?: string) => {
      const made = await service.call(users.generateServiceUserSecret, { userId }, by);
      const token = await getAccessToken(service, { ...machine, secret: idOf(made, "clientSecret") }, scope);
      const exchanged = await ground.swap(gateway, token);
      return async () => [await ask(token), await ask(exchanged)];
    };
    const askLimited = await askFor(manager.token);
    await give(userId, "ORGANIZATION_OWNER");
    expect(await askLimited()).toEqual([[], []]);
    const askWhole = await askFor();
    expect(await askWhole()).toEqual([told("ORGANIZATION_OWNER"), told("ORGANIZATION_OWNER")]);
  });

  test("of a login has the permissions of its user at the moment of the call, and so has one got for it", async () => {
    const user = await ground.createUser();
    const gateway = await createExchanger();
    const at = tokens === "JWT" ? ground.jwtPortal : ground.portal;
    const token = await ground.subjectFor([gateway], { at, as: user, more: apiScope });
    const exchanged = await ground.swap(gateway, token);
    expect([await ask(token), await ask(exchanged)]).toEqual([[], []]);
    await give(user.userId, "ORGANIZATION_PROJECT_MANAGER");
    const expected = told("ORGANIZATION_PROJECT_MANAGER");
    expect([await ask(token), await ask(exchanged)]).toEqual([expected, expected]);
  });
});
