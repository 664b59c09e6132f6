import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
/** One sequence of calls: some objects to begin with, random calls, a look at all that is there, and the end of it. */
import type { Draw } from "./draw.ts";
import { createDraw } from "./draw.ts";
import { createDriver, type Driver, Mismatch } from "./driver.ts";
import { lanes } from "../../support/clients.ts";
import { createApplication } from "./applications.ts";
import { listEffectiveRoles } from "./effective-roles.ts";
import { addMembership, listMemberships } from "./memberships.ts";
import { operations } from "./operations.ts";
import { addOrganization, listOrganizations, planRemoval } from "./organizations.ts";
import type { Plan } from "./plan.ts";
import { addProjectGrant, listProjectGrants } from "./project-grants.ts";
import { addProject, bulkAddRoles } from "./projects.ts";
import { createProvider, drawProvider } from "./providers.ts";
import type { Stage } from "./stage.ts";
import type { TestPlace } from "../../support/engine/engine.ts";
import { rebuiltDifferences, rowsTooManyOrFew } from "./tables.ts";
import { addToken, hourMs } from "./tokens.ts";
import { addUserGrant, listUserGrants } from "./user-grants.ts";
import { addUser, listUsers, serviceUser } from "./users.ts";
import { type Entity, labelsOf, type Scope, type Shelf, type Token, type World } from "./world.ts";
import { emptySettings } from "./settings.ts";

/** One call: which operation, and a number that all else follows from. */
export interface Step {
  readonly operation: string;
  readonly seed: number;
}

/** How often each rpc ended how, such as `AddProject OK`. */
export type Tally = Map<string, number>;

/** Runs the steps. Raises a Mismatch whose message holds everything that was called. */
export async function runSequence(stage: Stage, steps: readonly Step[], tally: Tally): Promise<void> {
  const driver = createDriver(stage);
  try {
    await begin(stage.world, driver);
    driver.note("drawn:");
    for (const { operation, seed } of steps) await take(stage.world, driver, { operation, seed, tally });
    driver.note("a look at all:");
    await lookAtAll(stage.world, driver);
    await requireRows(stage.service.place, stage.world);
    const differences = await rebuiltDifferences(stage.service.place);
    if (differences.length > 0)
      throw new Mismatch(`a rebuild makes other tables:\n${differences.join("\n")}`);
    await removeAll(stage, driver, createDraw(stage.world, steps[0]?.seed ?? 0));
  } catch (error) {
    throw new Mismatch(`${driver.trace().join("\n")}\n${reasonOf(stage.world, error)}`, { cause: error });
  }
}

/** Says what is wrong, with the labels of objects instead of their ids. An error that is no Mismatch is a bug here. */
function reasonOf(world: World, error: unknown): string {
  if (!(error instanceof Mismatch)) return error instanceof Error ? String(error.stack) : String(error);
  const labels = labelsOf(world);
  return error.message.replaceAll(/\b\d{10,}\b/g, (id) => labels.get(id) ?? id);
}

async function take(
  world: World,
  driver: Driver,
  { operation, seed, tally }: Step & { readonly tally: Tally },
): Promise<void> {
  const draw = createDraw(world, seed);
  if (draw.chance(0.02)) {
    world.clock.turn(hourMs);
    driver.note("an hour passes");
  }
  const plan = operations[operation]?.(world, draw);
  if (plan === undefined) throw new Error(`there is no operation ${operation}`);
  const manner = {
    caller: draw.caller(),
    lane: draw.chance(0.9) ? ("json" as const) : draw.pick(lanes),
    pageSize: draw.pick([0, 0, 0, 0, 0, 1, 2, 3]),
    countTotal: draw.chance(0.3),
  };
  const ended = await driver.run(plan, manner);
  if (ended === undefined) return;
  const key = `${plan.method.name} ${ended}`;
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

/** Makes two organizations with somebody of each kind, a project of one that is granted to the other, and grants. */
async function begin(world: World, driver: Driver): Promise<void> {
  const make = async <T extends Entity>(shelf: Shelf<T>, plan: Plan): Promise<T> => {
    await asAdmin(world, driver, plan);
    const made = shelf.all().at(-1);
    if (made === undefined) throw new Error("nothing was made");
    return made;
  };
  const draw = createDraw(world, 1);
  const first = await make(world.organizations, addOrganization(world, "Organization Beta"));
  const second = await make(world.organizations, addOrganization(world, "Organization Gamma"));
  const user = async (organization: Entity, name: string, scope?: Scope, roles: readonly string[] = []) => {
    const made = await make(world.users, addUser(world, organization.id, serviceUser(name)));
    if (scope !== undefined)
      await asAdmin(world, driver, addMembership(world, { userId: made.id, scope, roles }));
    return made;
  };
  const on = (kind: "organization" | "project", { id }: Entity): Scope => ({ kind, id });
  const owner = await user(first, "owner of the first", on("organization", first), ["ORGANIZATION_OWNER"]);
  const caller = await make(world.tokens, addToken(world, owner.id));
  // Who may stop everybody there but the owner.
  const manager = await user(first, "manager of the first", on("organization", first), [
    "ORGANIZATION_USER_MANAGER",
  ]);
  await asAdmin(world, driver, addToken(world, manager.id));
  const other = await user(second, "owner of the second", on("organization", second), ["ORGANIZATION_OWNER"]);
  await asAdmin(world, driver, addToken(world, other.id));
  const stranger = await user(first, "stranger");
  await run(driver, addToken(world, stranger.id), caller);
  const limited = world.tokens.all().at(-1) as Token; // the one that was just made
  const elsewhere = {
    userId: stranger.id,
    scope: on("organization", second),
    roles: ["ORGANIZATION_VIEWER"],
  };
  await asAdmin(world, driver, addMembership(world, elsewhere)); // which the owner of the first does not hold
  await run(driver, addToken(world, stranger.id), limited);
  const settings = emptySettings(ProjectService.method.addProject.input);
  const project = await make(
    world.projects,
    addProject(world, first.id, { ...settings, name: "Project Beta" }),
  );
  const roles = ["reader", "writer", "auditor"].map((key) => ({ key, displayName: "", group: "" }));
  await asAdmin(world, driver, bulkAddRoles(world, draw, { id: project.id, header: first.id, roles }));
  const third = await user(first, "owner of the project", on("project", project), ["PROJECT_OWNER"]);
  await asAdmin(world, driver, addToken(world, third.id));
  const roleKeys = ["writer", "reader"];
  const asked = { projectId: project.id, grantedId: second.id, roleKeys, header: first.id };
  const grant = await make(world.projectGrants, addProjectGrant(world, draw, asked));
  // Each to a user of the other organization, so that either removal takes something from the one that stays.
  const given = { projectId: project.id, roleKeys };
  const owned = { ...given, userId: other.id, projectGrantId: "" };
  await asAdmin(world, driver, addUserGrant(world, first.id, owned));
  const granted = { ...given, userId: stranger.id, projectGrantId: grant.id };
  await asAdmin(world, driver, addUserGrant(world, second.id, granted));
  await asAdmin(world, driver, createProvider(world, second.id, drawProvider(draw, "oidc")));
  const application = {
    projectId: project.id,
    name: "Application Beta",
    entityId: "https://sp.example.com/one",
  };
  await asAdmin(world, driver, createApplication(world, first.id, application));
}

/** Reads what other changes may have taken something from; the rest is in the random calls and in the counts of rows. */
async function lookAtAll(world: World, driver: Driver): Promise<void> {
  const draw: Draw = createDraw(world, 1);
  const plans = [listOrganizations(world), listMemberships(world)];
  for (const { id } of world.organizations.all())
    if (!world.base.has(id)) plans.push(listUsers(world, id), listUserGrants(world, id));
  for (const { id, resourceOwner: header } of world.projects.all())
    plans.push(listProjectGrants(world, draw, { id, header }));
  const granted = world.users.where(({ id }) => world.userGrants.all().some(({ userId }) => userId === id));
  for (const { id, resourceOwner } of granted.slice(0, 2))
    plans.push(listEffectiveRoles(world, resourceOwner, { userId: id }));
  for (const plan of plans) await asAdmin(world, driver, plan);
}

async function requireRows(place: TestPlace, world: World): Promise<void> {
  const wrong = await rowsTooManyOrFew(place, world);
  if (wrong.length > 0) throw new Mismatch(`the tables hold more or less: ${wrong.join(", ")}`);
}

/** Removes the organizations, one after the other in any order; then nothing of the sequence is left but the log. */
async function removeAll({ service, world }: Stage, driver: Driver, draw: Draw): Promise<void> {
  const own = world.organizations.where(({ id }) => !world.base.has(id));
  for (const { id } of draw.chance(0.5) ? own : own.toReversed()) {
    await asAdmin(world, driver, planRemoval(world, id));
    await requireRows(service.place, world);
  }
}

/** Makes a call of the oldest token, which is the administrator's. */
async function asAdmin(world: World, driver: Driver, plan: Plan): Promise<void> {
  await run(driver, plan, world.tokens.all()[0] as Token);
}

/** Makes a call that must succeed. */
async function run(driver: Driver, plan: Plan, caller: Token): Promise<void> {
  const ended = await driver.run(plan, { caller, lane: "json", pageSize: 1000, countTotal: true });
  if (ended !== "OK") throw new Mismatch(`what the sequence begins or ends with is answered ${ended}`);
}
