import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type InstanceId, type OrganizationId, toId } from "../../kernel/base/ids.ts";
import { type AsOf, requireEventReader } from "../as-of/as-of.ts";
import { pastOf } from "../as-of/past.ts";
import { type Selection, selectPast } from "../as-of/gather.ts";
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
   * Explains what decides about the access of a user now, or at that moment, by the functions that decide. Raises PERMISSION_DENIED,
   * NOT_FOUND (user, project, role, application, scope), and what the past raises.
   */
  explain(
    call: Call,
    asked: { readonly userId: string; readonly question: Question; readonly asOf?: AsOf | undefined },
  ): Promise<AccessAnswer>;
}

/** Creates the commands of explanations. */
export function createExplanationCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): ExplanationCommands {
  return {
    explain: async (call, { userId, question, asOf }) => {
      const { caller } = call;
      const homeId = call.access.organizationId;
      const asked = { asker: { held: caller.held, isSelf: userId === caller.userId }, userId, homeId };
      const answerAt = async (tx: ReadTransaction, { readFacts }: Prepared) => {
        const facts = await readFacts(await toInquiry(tx, asked));
        return { ...answer(facts), proposals: propose(facts) };
      };
      if (asOf === undefined) {
        return await read(context, call, async (tx) =>
          answerAt(tx, await prepare(tx, asked, { question, instanceId })),
        );
      }
      requireEventReader(caller.held, homeId);
      const prepared = await read(context, call, (tx) => prepare(tx, asked, { question, instanceId }));
      const selection = selectPast(userId, prepared.past);
      return await pastOf(context).read({ asOf, selection }, (tx) => answerAt(tx, prepared));
    },
  };
}

/** A question that the caller may ask. */
interface Prepared {
  readonly readFacts: (inquiry: Inquiry) => Promise<AccessFacts>;
  /** What decides about it in the past. */
  readonly past: Partial<Selection>;
}

/** Checks that the caller may ask the question. */
async function prepare(
  tx: ReadTransaction,
  asked: AskedUser,
  { question, instanceId }: { readonly question: Question; readonly instanceId: InstanceId },
): Promise<Prepared> {
  switch (question.kind) {
    case "role": {
      const reached = await getProjectInReach(tx, asked, question.projectId);
      return {
        readFacts: (inquiry) => readRole(inquiry, reached, question.roleKey),
        past: { grants: "all", projectId: reached.projectId },
      };
    }
    case "permission": {
      const { permission, scope: name } = question;
      const scope = await getScopeInReach(tx, asked, { name, instanceId });
      return {
        readFacts: (inquiry) => readPermissionFacts(inquiry, { permission, scope }),
        past: { hasMemberships: true },
      };
    }
    case "login": {
      const reached = await getApplicationInReach(tx, asked, question.applicationId);
      const { applicationId } = question;
      const policyOwnerIds = [...new Set([asked.homeId, reached.ownerId, instanceId])];
      return {
        readFacts: (inquiry) => readLogin(inquiry, reached, applicationId),
        past: {
          grants: "all",
          hasMemberships: true,
          projectId: reached.projectId,
          login: { applicationId, homeId: asked.homeId, policyOwnerIds },
        },
      };
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
