import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { isConsole } from "../../../identity/applications/oidc/console.ts";
import { listFirstFactors } from "../../../identity/policies/login-policy.ts";
import { readLoginPolicy } from "../../../identity/policies/repository.ts";
import { findOrganization } from "../../../identity/organizations/repository.ts";
import { findLiveSession } from "../../../identity/logins/sessions/repository.ts";
import { requireIdentityHolds } from "../external/take-identity.ts";
import { type Interaction, listMethods, startOver } from "../interaction.ts";
import type { LoginApplication, LoginState, LoginUser } from "../login-state.ts";
import { findLoginApplication } from "../standalone/login-application.ts";
import { findLoginUser } from "../login-users.ts";
import { PageRefusal } from "../page-refusal.ts";
import type { LoginPorts } from "../ports.ts";
import { recentLoginMs } from "../session-use.ts";
import { newFactorStep } from "../steps/second-factor.ts";
import { isProofGone } from "./gone-proof.ts";

/** Where a login stands: the interaction, and the hash of the browser's session cookie. */
export interface LoginPosition {
  /** Without protocols only a login can be read that no application asks for. */
  readonly ports: Pick<LoginPorts, "factors"> & Partial<Pick<LoginPorts, "protocols">>;
  readonly issuer: string;
  readonly nowMs: number;
  readonly interaction: Interaction;
  readonly sessionHash: string | undefined;
  /**
   * Whether all checks of the interaction were settled or looked at in the same write. A factor that it adds is not stored yet.
   * Default: they were not.
   */
  readonly isSettled?: boolean;
}

/**
 * Reads all that decides how a login goes on. An interaction whose user may not log in any more, or which rests on a session that
 * has ended or does not suffice for what is to come, or whose first factor the policies do not allow, or of which a factor was
 * removed, starts over. Raises the refusal of an application that is switched off, and of an identity elsewhere that does not log
 * the user in any more.
 */
export async function readState(tx: ReadTransaction, position: LoginPosition): Promise<LoginState> {
  const state = await readAsStored(tx, position);
  await requireIdentityHolds(tx, state);
  if (isFirstFactorAllowed(state) && !(await isSessionTooOld(tx, state))) return state;
  return { ...state, interaction: startOver(state.interaction), user: undefined, methods: [] };
}

/**
 * A first factor must be allowed by both policies: the policy of the organization that logs in, and the policy of the user. For
 * users with a role on the instance only the policy of the user counts: no organization says how they log in.
 */
function isFirstFactorAllowed({ user, methods, policy }: LoginState): boolean {
  if (user === undefined) return true;
  const policies = user.isOnInstance ? [user.policy] : [policy, user.policy];
  return listFirstFactors(policies).some((factor) => methods.includes(factor));
}

/** Anybody at the user's browser could add a factor of their own, and shut the user out with it. */
async function isSessionTooOld(tx: ReadTransaction, state: LoginState): Promise<boolean> {
  const { interaction, session, user, nowMs } = state;
  if (interaction.sessionId === undefined || session === undefined || user === undefined) return false;
  if (nowMs - session.authTimeMs <= recentLoginMs) return false;
  return await newFactorStep.isNeeded(tx, state);
}

async function readAsStored(tx: ReadTransaction, position: LoginPosition): Promise<LoginState> {
  const { ports, issuer, nowMs, interaction: stored, sessionHash, isSettled = false } = position;
  const application = await readLoginApplication(tx, stored);
  const requested = await readRequestedOrganization(tx, stored);
  const session = sessionHash === undefined ? undefined : await findLiveSession(tx, sessionHash, nowMs);
  const isSessionGone = stored.sessionId !== undefined && stored.sessionId !== session?.session.id;
  const factorDomain = ports.factors.domainOf(issuer);
  const isGone = isSessionGone || (!isSettled && (await isProofGone(tx, stored, factorDomain)));
  const user = isGone ? undefined : await findUserOf(tx, stored);
  const interaction = stored.user !== undefined && user === undefined ? startOver(stored) : stored;
  return {
    issuer,
    nowMs,
    interaction,
    protocol: ports.protocols?.[interaction.request.protocol],
    application,
    requestedOrganization: requested,
    session,
    user,
    methods: listMethods(interaction, session?.methods ?? []),
    policy: await readLoginPolicy(tx, (requested ?? application?.organization)?.id),
    factorDomain,
  };
}

async function findUserOf(
  tx: ReadTransaction,
  { user: proved, request }: Interaction,
): Promise<LoginUser | undefined> {
  const user = proved && (await findLoginUser(tx, proved.id));
  if (user === undefined || user.lockCount !== proved?.lockCount) return undefined;
  const { organizationId } = request;
  return organizationId === undefined || organizationId === user.organization.id ? user : undefined;
}

/** Reads the application that has asked for the login, if one has. The console has no project and no organization. */
async function readLoginApplication(
  tx: ReadTransaction,
  { request: { applicationId } }: Interaction,
): Promise<LoginApplication | undefined> {
  if (applicationId === undefined || isConsole(applicationId)) return undefined;
  const application = await findLoginApplication(tx, applicationId);
  if (application === undefined) throw new PageRefusal("inactive-application");
  return application;
}

/** An organization that was removed or deactivated since lets nobody in. */
async function readRequestedOrganization(tx: ReadTransaction, { request }: Interaction) {
  if (request.organizationId === undefined) return undefined;
  const organization = await findOrganization(tx, request.organizationId);
  if (organization?.state !== "ACTIVE") throw new PageRefusal("inactive-application");
  return organization;
}
