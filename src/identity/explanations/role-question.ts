import type { OrganizationId, ProjectGrantId, ProjectId } from "../../kernel/base/ids.ts";
import { holdsAt } from "../../kernel/base/permission.ts";
import { findWaysIntoGroups, type WayIntoGroup } from "../groups/way-repository.ts";
import type { Project } from "../projects/project.ts";
import { type GrantInQuestion, listGrantsInQuestion } from "../user-grants/role-ways-repository.ts";
import { type Asker, type Inquiry, mayIn, ofProject, readOrganizationStep, readUserSteps } from "./asker.ts";
import {
  type Change,
  type AccessFacts,
  type AccessNeed,
  stateStep,
  type Step,
  timeStep,
  type Way,
} from "./explanation.ts";

/** A project, and the organization that owns it. */
export interface ProjectInQuestion {
  readonly project: Project;
  readonly ownerId: OrganizationId;
}

/** Reads what decides whether the user has the role. */
export async function readRoleFacts(
  inquiry: Inquiry,
  about: ProjectInQuestion,
  roleKey: string,
): Promise<AccessFacts> {
  const steps = [...(await readUserSteps(inquiry)), ...(await readProjectSteps(inquiry, about))];
  return { steps, needs: [await readRoleNeed(inquiry, about, roleKey)] };
}

/** Makes the steps of the project and of the organization that owns it. */
export async function readProjectSteps(
  { tx, asker, homeId }: Inquiry,
  { project, ownerId }: ProjectInQuestion,
): Promise<readonly Step[]> {
  const ofThis = {
    kind: "PROJECT",
    id: project.id,
    isVisible: mayReadProject(asker, project.id, ownerId),
    rightId: "",
  } as const;
  const mayReadOwner = mayIn(asker, "organization.read", ownerId);
  const owner = ownerId === homeId ? [] : await readOrganizationStep(tx, ownerId, mayReadOwner);
  return [stateStep(ofThis, project.state), ...owner];
}

/** Says whether the caller may read the project. Users that may ask about it may. */
export function mayReadProject(
  { held, isSelf }: Asker,
  projectId: ProjectId,
  ownerId: OrganizationId,
): boolean {
  return isSelf || holdsAt(held, "project.read", ofProject(projectId, ownerId));
}

/** Reads the grants of the user for the project, each a way to the role; without `roleKey` to any role. */
export async function readRoleNeed(
  inquiry: Inquiry,
  { project, ownerId }: ProjectInQuestion,
  roleKey?: string,
): Promise<AccessNeed> {
  const { tx, asker, user } = inquiry;
  const grants = await listGrantsInQuestion(tx, user.id, project.id);
  const groupIds = new Set(grants.map(({ groupId }) => groupId).filter((id) => id !== ""));
  const waysInto = await findWaysIntoGroups(tx, user.id, [...groupIds]);
  const ways = grants.flatMap((grant): readonly Way[] => {
    const steps = toGrantSteps(inquiry, { grant, projectId: project.id, ownerId, roleKey });
    if (grant.groupId === "") return [{ steps }];
    const into = waysInto.get(grant.groupId) ?? [];
    return into.map((way) => ({ steps: [...steps, toGroupStep(inquiry, way, grant.id)] }));
  });
  const role = roleKey ?? "";
  const opening: Change = {
    kind: "ADD",
    object: "USER_GRANT",
    projectId: project.id,
    organizationId: ownerId,
    role,
  };
  const isThere = grants.some(
    (each) => each.groupId === "" && each.giverId === ownerId && each.projectGrantId === "",
  );
  const mayReadGrants = holdsAt(asker.held, "user.grant.read", ofProject(project.id, ownerId));
  return { ways, openings: mayReadGrants && !isThere ? [opening] : [] };
}

/** Makes the step of a way into a group, which leads to that right. */
export function toGroupStep(
  { tx, asker, user, homeId }: Inquiry,
  { groupIds, period }: WayIntoGroup,
  rightId: string,
): Step {
  const isVisible = asker.isSelf || mayIn(asker, "group.read", homeId);
  const of = { kind: "GROUP", id: groupIds[0] ?? "", isVisible, rightId, groupIds } as const;
  return timeStep(of, { period, now: tx.now(), userId: user.id });
}

interface GrantSource {
  readonly grant: GrantInQuestion;
  readonly projectId: ProjectId;
  readonly ownerId: OrganizationId;
  readonly roleKey: string | undefined;
}

function toGrantSteps(inquiry: Inquiry, source: GrantSource): readonly Step[] {
  const { grant, ownerId, roleKey } = source;
  const { asker, homeId } = inquiry;
  const isVisible = asker.isSelf || mayReadGrant(asker, source);
  const kind = grant.groupId === "" ? "USER_GRANT" : "GROUP_GRANT";
  const of = { kind, id: grant.id, isVisible, rightId: grant.id } as const;
  const isGiven = roleKey === undefined ? grant.needs.roles : grant.roleKeys.includes(roleKey);
  const addRole: Change | undefined =
    isGiven || kind === "GROUP_GRANT" || grant.projectGrantId !== ""
      ? undefined
      : { kind: "ADD_ROLE", object: kind, id: grant.id, role: roleKey ?? "" };
  const ofGiver = {
    kind: "ORGANIZATION",
    id: grant.giverId,
    isVisible: mayIn(asker, "organization.read", grant.giverId),
    rightId: grant.id,
  } as const;
  const isCommon = grant.giverId === homeId || grant.giverId === ownerId;
  return [
    stateStep(of, stateOf(grant.needs.grant)),
    timeStep(of, { period: grant.period, now: inquiry.tx.now() }),
    { ...of, isMet: isGiven, reason: isGiven ? "GIVEN" : "NOT_GIVEN", remedy: addRole },
    ...(isCommon ? [] : [stateStep(ofGiver, stateOf(grant.needs.giver))]),
    ...(grant.projectGrantId === "" ? [] : toSourceSteps(inquiry, source, grant.projectGrantId)),
  ];
}

/** Makes the steps of the project grant that a grant rests on. */
function toSourceSteps(
  { tx, asker }: Inquiry,
  { grant, projectId, ownerId }: GrantSource,
  id: ProjectGrantId,
): readonly Step[] {
  const scope = { kind: "project-grant", projectGrantId: id, organizationId: grant.giverId } as const;
  const isVisible =
    holdsAt(asker.held, "project.grant.read", ofProject(projectId, ownerId)) ||
    holdsAt(asker.held, "project.grant.read", scope);
  const of = { kind: "PROJECT_GRANT", id, isVisible, rightId: grant.id } as const;
  return [
    stateStep(of, stateOf(grant.needs.projectGrant)),
    timeStep(of, { period: grant.projectGrantPeriod, now: tx.now() }),
  ];
}

/** Says whether ListEffectiveRoles shows the grant to the caller. */
function mayReadGrant({ held }: Asker, { grant, projectId, ownerId }: GrantSource): boolean {
  const { giverId, projectGrantId } = grant;
  const may = (scope: Parameters<typeof holdsAt>[2]) => holdsAt(held, "user.grant.read", scope);
  return (
    may({ kind: "organization", organizationId: giverId }) ||
    may(ofProject(projectId, ownerId)) ||
    (projectGrantId !== "" && may({ kind: "project-grant", projectGrantId, organizationId: giverId }))
  );
}

function stateOf(isActive: boolean): "ACTIVE" | "INACTIVE" {
  return isActive ? "ACTIVE" : "INACTIVE";
}
