import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { AuthorizationId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { grantAuthorization } from "../../../identity/logins/authorizations/authorization.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import {
  countNamesOfPart,
  findLastName,
  putParticipation,
} from "../../../identity/logins/saml-participations/repository.ts";
import {
  createParticipation,
  mustRepeatName,
  repeatName,
  type SamlNameId,
} from "../../../identity/logins/saml-participations/saml-participation.ts";
import type { LiveSession } from "../../../identity/logins/sessions/session.ts";
import { listRolesInEffect } from "../../../identity/user-grants/effective-role-repository.ts";
import type { HumanUser } from "../../../identity/people/user/user.ts";
import { checkAccess } from "../../login/application-access.ts";
import type { LoginRequest } from "../../login/login-request.ts";
import { findLoginUser } from "../../login/login-users.ts";
import { chooseContext, tellContext } from "../messages/authn-context.ts";
import type { AssertionToWrite } from "../messages/assertion.ts";
import { chooseAttributes, type ToldAttribute } from "../messages/choose-attributes.ts";
import { chooseNameIdFormat, makeNameId } from "../messages/choose-name-id.ts";
import { requireSupported } from "../messages/conditions.ts";
import { SamlRefusal } from "../messages/status.ts";
import { newMessageId } from "../messages/write-head.ts";
import type { MessageNotes } from "../receiving/message-log.ts";
import type { EncryptionTarget } from "../signatures/encrypt-assertion.ts";
import type { KnownServiceProvider } from "../parties/service-providers.ts";
import { chooseEncryption } from "./encryption.ts";
import { askBeforeAssertion } from "./before-assertion.ts";
import { addMappedAttributes } from "./mapped-attributes.ts";
import type { SamlLoginData } from "./login-data.ts";
import { listCountedChecks, reachContext } from "./reached-context.ts";

/** What logins are decided with. */
export interface DecidingPorts extends MessageNotes {
  readonly context: Pick<FeatureContext, "clock" | "random" | "keyring">;
}

/** A login of which nothing is missing, and the service provider that asks for it. */
export interface LoginToDecide {
  readonly data: SamlLoginData;
  readonly sender: KnownServiceProvider;
  readonly session: LiveSession;
  readonly hadPage: boolean;
  /** What hooks are asked with. */
  readonly hooks: HookSession;
  /** As of the request for a login. */
  readonly prompts: LoginRequest["prompts"];
  /** Our entity id. */
  readonly issuer: string;
  readonly pairwiseSecret: Uint8Array;
}

/** What a service provider gets, to be signed after the write. */
export interface DecidedLogin {
  readonly assertion: AssertionToWrite;
  /** Undefined: the assertion is not encrypted. */
  readonly encryption: EncryptionTarget | undefined;
  readonly events: readonly NewEvent[];
}

/**
 * Checks in the write whether the user may log in to the application, and records that it takes part in the session. Append the
 * events. Raises a SamlRefusal, and the pages of an application that demands encryption without a key for it and of a hook that refuses; nothing
 * is recorded then.
 */
export async function decideLogin(
  ports: DecidingPorts,
  tx: WriteTransaction,
  login: LoginToDecide,
): Promise<DecidedLogin> {
  const { context } = ports;
  const { data, sender, session, issuer } = login;
  const { request } = data;
  const nowMs = context.clock.nowMs();
  const encryption = chooseEncryption(ports, sender);
  const user = await requireUser(tx, login);
  const audience = sender.serviceProvider.entityId;
  if (request !== undefined) requireSupported(request, { audience, nowMs });
  const reached = reachContext(listCountedChecks(session, data), issuer);
  const wish = chooseContext(request?.requestedContext);
  const told = tellContext(wish, reached);
  const newName = nameUser(context, login, user);
  const own = await listAttributes(tx, login, user);
  const { attributes, events } = await addMappedAttributes(tx, sender, { userId: user.id, attributes: own });
  const hooked = await askBeforeAssertion(tx, { ...login, userId: user.id, name: newName, attributes });
  const { nameId, sessionIndex, event } = await takePart(context, tx, { login, newName });
  const assertion: AssertionToWrite = {
    id: newMessageId(context.random),
    issuer,
    nowMs,
    audience,
    recipient: data.acs,
    inResponseTo: request?.id,
    nameId,
    conditions: request?.conditions,
    authenticationMs: wish.level === 2 ? reached.lastFactorMs : reached.firstFactorMs,
    sessionIndex,
    sessionEndMs: session.session.expirationMs,
    context: told,
    attributes: [...attributes, ...hooked],
  };
  return { assertion, encryption, events: [event, ...events] };
}

/** Applies the checks of the project: in this write, and only now that the user has proved their identity. */
async function requireUser(
  tx: ReadTransaction,
  { sender, session: { user } }: LoginToDecide,
): Promise<HumanUser> {
  const { project, organization } = sender;
  const found = await findLoginUser(tx, user.id);
  if (found === undefined) throw new SamlRefusal("AuthnFailed");
  const access = await checkAccess(
    tx,
    { ...project, organizationId: organization.id },
    { userId: user.id, organizationId: user.organizationId },
  );
  if (access !== "ok") throw new SamlRefusal("RequestDenied");
  return found.user;
}

function nameUser(
  { random }: Pick<FeatureContext, "random">,
  { data: { request }, sender, issuer, pairwiseSecret }: LoginToDecide,
  user: HumanUser,
): SamlNameId {
  const { serviceProvider, application } = sender;
  const { settings } = application.saml;
  const format = chooseNameIdFormat({ policy: request?.nameIdPolicy, settings, serviceProvider });
  return makeNameId(format, { user, audience: serviceProvider.entityId, issuer, pairwiseSecret, random });
}

async function listAttributes(
  tx: ReadTransaction,
  { data: { request }, sender }: LoginToDecide,
  user: HumanUser,
): Promise<readonly ToldAttribute[]> {
  const { serviceProvider, application, project } = sender;
  const { settings } = application.saml;
  const roles = project.projectRoleAssertion ? await listRolesInEffect(tx, user.id, [project.id]) : undefined;
  return chooseAttributes(
    { serviceProvider, settings, index: request?.attributeServiceIndex },
    { user, roleKeys: roles?.flatMap(({ roleKeys }) => roleKeys) },
  );
}

/** Records the name with which the application can end the session (SAML Core §3.7.1), in addition to earlier ones. */
async function takePart(
  { clock, random, keyring }: Pick<FeatureContext, "clock" | "random" | "keyring">,
  tx: WriteTransaction,
  { login, newName }: { readonly login: LoginToDecide; readonly newName: SamlNameId },
): Promise<{ readonly nameId: SamlNameId; readonly sessionIndex: string; readonly event: NewEvent }> {
  const { session, user } = login.session;
  const { application, organization } = login.sender;
  const about = { sessionId: session.id, applicationId: application.id, userId: user.id };
  const { sessionIndex: known, count } = await countNamesOfPart(tx, about, newName.format);
  const sessionIndex = known ?? newMessageId(random);
  const isRepeated = mustRepeatName(newName.format, count);
  const last = isRepeated ? await findLastName(tx, about, newName.format) : undefined;
  const nameId = (last && repeatName(keyring, last, newName)) ?? newName;
  const participation = createParticipation(keyring, {
    ...about,
    nameId,
    sessionIndex,
    authenticationDateMs: clock.nowMs(),
    expirationMs: session.expirationMs,
    userOrganizationId: user.organizationId,
    applicationOrganizationId: organization.id,
  });
  await putParticipation(tx, participation);
  const id = tx.nextId<AuthorizationId>();
  const isRenewal = !login.hadPage && known !== undefined;
  const event = grantAuthorization(
    { id, ...about, organizationId: user.organizationId, scopes: [] },
    isRenewal,
  );
  return { nameId, sessionIndex, event };
}
