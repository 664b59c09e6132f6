// What is remembered of the projects that an organization has, and for how long.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import type { WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { createKnownReach, type KnownReach } from "../../../../src/sites/oidc/tokens/known-reach.ts";
import { startService } from "../../../support/service.ts";
import { createCaller, createProject, idOf, uniqueName } from "../../../support/world.ts";

const service = await startService();
const { database } = service.context;
const { method } = ProjectService;
afterAll(() => service.stop());

/** A project with the roles reader and writer, and an organization that has it by a grant of the role reader. */
interface Granted {
  readonly owner: string;
  readonly partner: string;
  readonly projectId: string;
  readonly grantId: string;
}
let granted: Granted;
let known: KnownReach;
let statements: number;

const addOrganization = async () =>
  idOf(
    await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Organization") }),
    "organizationId",
  );
const byOwner = ({ owner }: Granted) => createCaller(service, owner);

beforeEach(async () => {
  const [owner, partner] = [await addOrganization(), await addOrganization()];
  const projectId = await createProject(service, owner, ["reader", "writer"]);
  const grant = { projectId, grantedOrganizationId: partner, roleKeys: ["reader"] };
  const added = await createCaller(service, owner)(method.addProjectGrant, grant);
  granted = { owner, partner, projectId, grantId: idOf(added, "grantId") };
  known = createKnownReach(database);
  statements = 0;
});

/** A transaction that counts what it reads. */
function counting(tx: WriteTransaction): WriteTransaction {
  return new Proxy(tx, {
    get(target, name) {
      if (name === "all") statements++;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const toScopes = (projectIds: readonly string[]) =>
  projectIds.map((id) => `urn:zitadel:iam:org:project:id:${id}:aud`).join(" ");

/** Looks for projects of an organization, by their ids and by scopes that name them, which must come to the same. */
const lookFor = async (partner: string, ...ids: readonly string[]) =>
  await database.write(async (tx) => {
    const projects = await known.list(counting(tx), partner, ids);
    const found = projects.map(({ id, roleKeys }) => ({ id, roleKeys }));
    const { projectIds, roleLimits } = await known.scopes(counting(tx), toScopes(ids), partner);
    expect(projectIds.map((id) => ({ id, roleKeys: roleLimits?.get(id) }))).toEqual(found);
    return found;
  });
const look = ({ partner, projectId }: Granted) => lookFor(partner, projectId);

const one = (roleKeys: readonly string[]) => [{ id: granted.projectId, roleKeys }];

test("the projects of an organization are read once", async () => {
  expect(await look(granted)).toEqual(one(["reader"]));
  const once = statements;
  expect(await look(granted)).toEqual(one(["reader"]));
  expect([once > 0, statements]).toEqual([true, once]);
});

test.each<[string, (of: Granted) => Promise<unknown>, readonly string[] | undefined]>([
  [
    "the grant has other roles",
    (of) => byOwner(of)(method.updateProjectGrant, { ...of, roleKeys: ["writer"] }),
    ["writer"],
  ],
  [
    "a role is removed",
    (of) => byOwner(of)(method.removeProjectRole, { projectId: of.projectId, roleKey: "reader" }),
    [],
  ],
  ["the grant is deactivated", (of) => byOwner(of)(method.deactivateProjectGrant, of), undefined],
  ["the grant is removed", (of) => byOwner(of)(method.removeProjectGrant, of), undefined],
  [
    "the project is deactivated",
    (of) => byOwner(of)(method.deactivateProject, { id: of.projectId }),
    undefined,
  ],
  ["the project is removed", (of) => byOwner(of)(method.removeProject, { id: of.projectId }), undefined],
  [
    "the owner of the project is deactivated",
    (of) => service.call(OrganizationService.method.deactivateOrganization, { id: of.owner }),
    undefined,
  ],
  [
    "the owner of the project is removed",
    (of) => service.call(OrganizationService.method.removeOrganization, { id: of.owner }),
    undefined,
  ],
])("they are read again when %s", async (_name, change, roleKeys) => {
  expect(await look(granted)).toEqual(one(["reader"]));
  await change(granted);
  expect(await look(granted)).toEqual(roleKeys === undefined ? [] : one(roleKeys));
});

test("what is remembered is read again when the grant ends, without a write", async () => {
  const endDate = timestampFromMs(service.clock.nowMs() + 1000);
  await byOwner(granted)(method.updateProjectGrant, { ...granted, roleKeys: ["reader"], endDate });
  const seen: unknown[] = [];
  for (const ms of [0, 999, 1]) {
    service.clock.turn(ms);
    seen.push(await look(granted));
  }
  expect(seen).toEqual([one(["reader"]), one(["reader"]), []]);
});

test("a project that was out of reach is found as soon as it is in reach", async () => {
  await byOwner(granted)(method.deactivateProject, { id: granted.projectId });
  expect(await look(granted)).toEqual([]);
  await byOwner(granted)(method.reactivateProject, { id: granted.projectId });
  expect(await look(granted)).toEqual(one(["reader"]));
});

test("what a write changes is seen in it, and forgotten when it is undone", async () => {
  const { partner, projectId, grantId } = granted;
  expect(await look(granted)).toEqual(one(["reader"]));
  const undone = database.write(async (tx) => {
    await tx.run("DELETE FROM project_grant_roles WHERE project_grant_id = ?", [grantId]);
    expect(await known.list(tx, partner, [projectId])).toMatchObject([{ roleKeys: [] }]);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await look(granted)).toEqual(one(["reader"]));
});

test("what is not there is looked for again each time", async () => {
  const ofAll = () => lookFor(granted.partner, granted.projectId, "1");
  expect(await ofAll()).toEqual(one(["reader"]));
  const once = statements;
  expect(await ofAll()).toEqual(one(["reader"]));
  expect(statements).toBe(2 * once);
});

test("no more is remembered than there is room for", async () => {
  known = createKnownReach(database, 1);
  await look(granted);
  const once = statements;
  await look({ ...granted, partner: granted.owner });
  const both = statements;
  await look(granted);
  expect([both > once, statements > both]).toEqual([true, true]);
});
