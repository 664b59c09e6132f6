import { holdsAt } from "../../kernel/base/permission.ts";
import type { Application } from "../applications/application.ts";
import { listInstanceRoles } from "../held-roles/repository.ts";
import { listFirstFactors } from "../policies/login-policy.ts";
import { readLoginPolicy } from "../policies/repository.ts";
import { findProjectGrantTo } from "../projects/project-grant-repository.ts";
import { type Inquiry, mayIn, ofProject, readUserSteps } from "./asker.ts";
import {
  type Change,
  type AccessFacts,
  type AccessNeed,
  stateStep,
  type Step,
  timeStep,
} from "./explanation.ts";
import { mayReadProject, type ProjectInQuestion, readProjectSteps, readRoleNeed } from "./role-question.ts";

/** An application, and the project that it is in. */
export interface ApplicationInQuestion extends ProjectInQuestion {
  readonly application: Application;
}

/** Reads what decides whether the user may log in to the application. What users prove when they log in plays no part. */
export async function readLoginFacts(inquiry: Inquiry, about: ApplicationInQuestion): Promise<AccessFacts> {
  const { asker, user, homeId } = inquiry;
  const { application, project, ownerId } = about;
  const mayReadApplication =
    asker.isSelf || holdsAt(asker.held, "project.app.read", ofProject(project.id, ownerId));
  const ofThis = {
    kind: "APPLICATION",
    id: application.id,
    isVisible: mayReadApplication,
    rightId: "",
  } as const;
  const ofUser = { kind: "USER", id: user.id, isVisible: true, rightId: "" } as const;
  const notPerson: readonly Step[] =
    user.kind === "human" ? [] : [{ ...ofUser, isMet: false, reason: "SERVICE_USER" }];
  const steps = [
    ...(await readUserSteps(inquiry)),
    ...notPerson,
    stateStep(ofThis, application.state),
    ...(await readProjectSteps(inquiry, about)),
    ...(await readPolicySteps(inquiry, about)),
  ];
  // A caller who may not read the project must not learn what it checks: then its state is unknown anyway.
  if (!mayReadProject(asker, project.id, ownerId)) return { steps, needs: [] };
  const needs: AccessNeed[] = [];
  if (project.hasProjectCheck && homeId !== ownerId) needs.push(await readProjectGrantNeed(inquiry, about));
  if (project.projectRoleCheck) needs.push(await readRoleNeed(inquiry, about));
  return { steps, needs };
}

async function readPolicySteps(
  { tx, asker, user, homeId }: Inquiry,
  { ownerId }: ProjectInQuestion,
): Promise<readonly Step[]> {
  const isOnInstance = (await listInstanceRoles(tx, user.id)).length > 0;
  const policy = await readLoginPolicy(tx, isOnInstance ? undefined : homeId);
  const mayReadOwn =
    asker.isSelf ||
    (isOnInstance
      ? holdsAt(asker.held, "policy.read", { kind: "instance" })
      : mayIn(asker, "policy.read", homeId));
  const own = toPolicyStep(isOnInstance ? "" : homeId, mayReadOwn, listFirstFactors([policy]).length > 0);
  if (isOnInstance || homeId === ownerId) return [own];
  const both = listFirstFactors([policy, await readLoginPolicy(tx, ownerId)]);
  return [own, toPolicyStep(ownerId, mayIn(asker, "policy.read", ownerId), both.length > 0)];
}

function toPolicyStep(id: string, isVisible: boolean, isMet: boolean): Step {
  const remedy: Change = { kind: "ALLOW_SIGN_IN", object: "POLICY", id };
  const reason = isMet ? "SIGN_IN_ALLOWED" : "NO_SIGN_IN_ALLOWED";
  return { kind: "POLICY", id, isVisible, rightId: "", isMet, reason, remedy };
}

/** Reads the grant by which the organization of the user has the project. */
async function readProjectGrantNeed(
  { tx, asker, homeId }: Inquiry,
  { project, ownerId }: ProjectInQuestion,
): Promise<AccessNeed> {
  const mayReadAll = holdsAt(asker.held, "project.grant.read", ofProject(project.id, ownerId));
  const grant = await findProjectGrantTo(tx, project.id, homeId);
  if (grant === undefined) {
    const opening: Change = {
      kind: "ADD",
      object: "PROJECT_GRANT",
      projectId: project.id,
      organizationId: homeId,
      role: "",
    };
    return { ways: [], openings: mayReadAll ? [opening] : [] };
  }
  const scope = { kind: "project-grant", projectGrantId: grant.id, organizationId: homeId } as const;
  const isVisible = mayReadAll || holdsAt(asker.held, "project.grant.read", scope);
  const of = { kind: "PROJECT_GRANT", id: grant.id, isVisible, rightId: grant.id } as const;
  const steps = [stateStep(of, grant.state), timeStep(of, { period: grant, now: tx.now() })];
  return { ways: [{ steps }], openings: [] };
}
