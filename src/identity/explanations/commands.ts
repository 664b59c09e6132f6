import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type InstanceId, type OrganizationId, toId } from "../../kernel/base/ids.ts";
import type { Permission } from "../../kernel/base/permission.ts";
import { applicationNotFound } from "../applications/application/application.ts";
import { findApplication } from "../applications/repository.ts";
import { type FeatureContext, read } from "../context.ts";
import type { ScopeName } from "../memberships/membership.ts";
import { findUserById } from "../people/user/repository.ts";
import { userNotFound } from "../people/user/user.ts";
import { type Project, projectNotFound } from "../projects/project.ts";
import { findProject } from "../projects/repository.ts";
import { roleNotFound } from "../projects/role.ts";
import { listRoleKeys } from "../projects/role-repository.ts";
import type { Inquiry } from "./asker.ts";
import { answer, type AccessExplanation, type AccessFacts } from "./explanation.ts";
import { readLoginFacts } from "./login-question.ts";
import { readPermissionFacts } from "./permission-question.ts";
import { propose, type Proposal } from "./proposals.ts";
import {
  type AskedUser,
  getApplicationInReach,
  getProjectInReach,
  getScopeInReach,
  type AskableProject,
} from "./reach.ts";
import { mayReadProject, readRoleFacts } from "./role-question.ts";

/** What is asked about a user. */
export type Question =
  | { readonly kind: "role"; readonly projectId: string; readonly roleKey: string }
  | { readonly kind: "permission"; readonly permission: Permission; readonly scope: ScopeName }
  | { readonly kind: "login"; readonly applicationId: string };

/** An answer, and for a denial what would allow it. */
export interface AccessAnswer extends AccessExplanation {
  readonly proposals: readonly Proposal[];
}

/** The use cases of explanations. */
export interface ExplanationCommands {
  /**
   * Explains what decides about the access of a user at this instant, by the functions that decide. Raises PERMISSION_DENIED, NOT_FOUND
   * (user, project, role, application, scope).
   */
  explain(call: Call, asked: { readonly userId: string; readonly question: Question }): Promise<AccessAnswer>;
}

/** Creates the commands of explanations. */
export function createExplanationCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): ExplanationCommands {
  return {
    explain: (call, { userId, question }) =>
      read(context, call, async (tx) => {
        const { caller } = call;
        const asker = { held: caller.held, isSelf: userId === caller.userId };
        const asked = { asker, userId, homeId: call.access.organizationId };
        const readFacts = await prepare(tx, asked, { question, instanceId });
        const facts = await readFacts(await toInquiry(tx, asked));
        return { ...answer(facts), proposals: propose(facts) };
      }),
  };
}

type ReadFacts = (inquiry: Inquiry) => Promise<AccessFacts>;

/** Checks that the caller may ask the question, and returns what reads the facts. */
async function prepare(
  tx: ReadTransaction,
  asked: AskedUser,
  { question, instanceId }: { readonly question: Question; readonly instanceId: InstanceId },
): Promise<ReadFacts> {
  switch (question.kind) {
    case "role": {
      const reached = await getProjectInReach(tx, asked, question.projectId);
      return async (inquiry) => await readRole(inquiry, reached, question.roleKey);
    }
    case "permission": {
      const { permission, scope: name } = question;
      const scope = await getScopeInReach(tx, asked, { name, instanceId });
      return async (inquiry) => await readPermissionFacts(inquiry, { permission, scope });
    }
    case "login": {
      const reached = await getApplicationInReach(tx, asked, question.applicationId);
      return async (inquiry) => await readLogin(inquiry, reached, question.applicationId);
    }
  }
}

async function toInquiry(tx: ReadTransaction, { asker, userId, homeId }: AskedUser): Promise<Inquiry> {
  const user = await findUserById(tx, userId);
  if (user === undefined) throw userNotFound(userId);
  return { tx, asker, user, homeId };
}

async function readRole(inquiry: Inquiry, reached: AskableProject, roleKey: string): Promise<AccessFacts> {
  const project = await getReached(inquiry, reached);
  const { projectId, ownerId } = reached;
  // Only a caller who may read the roles of the project learns which there are.
  const isHidden = inquiry.asker.isSelf || !mayReadProject(inquiry.asker, projectId, ownerId);
  const isThere = isHidden || (await listRoleKeys(inquiry.tx, projectId, [roleKey])).has(roleKey);
  if (!isThere) throw roleNotFound(roleKey);
  return await readRoleFacts(inquiry, { project, ownerId }, roleKey);
}

async function readLogin(
  inquiry: Inquiry,
  reached: AskableProject,
  applicationId: string,
): Promise<AccessFacts> {
  const project = await getReached(inquiry, reached);
  const application = await findApplication(inquiry.tx, applicationId);
  if (application === undefined) throw applicationNotFound(applicationId);
  return await readLoginFacts(inquiry, { project, ownerId: reached.ownerId, application });
}

async function getReached({ tx }: Inquiry, { projectId, ownerId }: AskableProject): Promise<Project> {
  const project = await findProject(tx, toId<OrganizationId>(ownerId), projectId);
  if (project === undefined) throw projectNotFound(projectId);
  return project;
}
