import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { findParticipations } from "../../../identity/logins/saml-participations/repository.ts";
import { hashNameId } from "../../../identity/logins/saml-participations/saml-participation.ts";
import type { SamlKeys } from "../../../identity/signing-keys/saml-keys.ts";
import { findLoginUser } from "../../login/login-users.ts";
import type { LoginProtocol, LoginRefusal } from "../../login/login-protocol.ts";
import { type LoginRequest, requireApplicationId } from "../../login/login-request.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { samlPaths, entityIdOf } from "../parties/paths.ts";
import { isAcs } from "../messages/choose-acs.ts";
import { isNameOf } from "../messages/choose-name-id.ts";
import { type LoginFailure, SamlRefusal } from "../messages/status.ts";
import type { MessageNotes } from "../receiving/message-log.ts";
import type { KnownServiceProvider, ServiceProviders } from "../parties/service-providers.ts";
import { decideLogin } from "./decide-login.ts";
import { listSamlGift } from "./list-gift.ts";
import { fromSamlLoginData, type SamlLoginData } from "./login-data.ts";
import { makeFailure, makeSuccess } from "./make-answer.ts";

/** What logins of service providers work with. */
export interface SamlLoginPorts extends MessageNotes {
  readonly context: FeatureContext;
  readonly samlKeys: Pick<SamlKeys, "getSigner" | "findPairwiseSecret">;
  readonly serviceProviders: ServiceProviders;
}

/**
 * Creates the answers to logins that service providers have asked for (SAML Profiles §4.1.4). They are signed after the write that
 * decides them.
 */
export function createSamlLogins(ports: SamlLoginPorts): LoginProtocol {
  return {
    pathOfAnswer: (id) => `${samlPaths.continue}/${id}`,
    staysHome: true,
    listGift: (tx, question) => listSamlGift(ports.serviceProviders, tx, question),
    findWayBack: async () => undefined, // a service provider has no address for a browser without an answer
    async refuse(tx, { request, refusal, issuer }) {
      const data = fromSamlLoginData(request);
      await requireSender(ports, tx, request);
      const failure = toFailure(request, data, refusal);
      return () => makeFailure(ports, { data, issuer, failure });
    },
    async finish(tx, { request, session, hadPage, issuer, hooks }) {
      const data = fromSamlLoginData(request);
      const sender = await requireSender(ports, tx, request);
      try {
        if (data.failure !== undefined) throw new SamlRefusal(data.failure);
        const pairwiseSecret = await ports.samlKeys.findPairwiseSecret(tx);
        const decided = await decideLogin(ports, tx, {
          data,
          sender,
          session,
          hadPage,
          hooks,
          prompts: request.prompts,
          issuer: entityIdOf(issuer),
          pairwiseSecret,
        });
        return {
          answer: () => makeSuccess(ports, { data, issuer, decided }),
          events: decided.events,
        };
      } catch (error) {
        if (!(error instanceof SamlRefusal)) throw error;
        const { status: failure } = error;
        return { answer: () => makeFailure(ports, { data, issuer, failure }), events: [] };
      }
    },
    isMeant: (tx, asked) => isMeant(ports, tx, asked),
  };
}

/**
 * Finds the service provider of a login once more: in a quarter of an hour it may have been switched off, have lost the endpoint that
 * the answer is for, or want no login any more that it has not asked for. Then nothing is sent there.
 */
async function requireSender(
  { serviceProviders }: SamlLoginPorts,
  tx: ReadTransaction,
  request: LoginRequest,
): Promise<KnownServiceProvider> {
  const sender = await serviceProviders.findById(tx, requireApplicationId(request));
  if (sender === undefined) throw new PageRefusal("unknown-application");
  if (!sender.isActive) throw new PageRefusal("inactive-application");
  const { acs, request: authnRequest } = fromSamlLoginData(request);
  if (!isAcs(acs, sender.serviceProvider)) throw new PageRefusal("unregistered-redirect");
  if (authnRequest === undefined && !sender.application.saml.settings.allowIdpInitiated)
    throw new PageRefusal("wrong-application-settings");
  return sender;
}

/** SAML Core §3.2.2.2. */
function toFailure(
  { prompts }: Pick<LoginRequest, "prompts">,
  { failure, request }: SamlLoginData,
  refusal: LoginRefusal,
): LoginFailure {
  if (failure !== undefined) return failure;
  if (prompts.includes("none")) return "NoPassive";
  // Without that prompt, nothing but this is missing once somebody has logged in.
  if (refusal === "login_required" && request?.subject !== undefined) return "UnknownPrincipal";
  return "AuthnFailed";
}

/** SAML Core §3.3.4: the user whom the service provider names is the only one that it gets an assertion for. */
async function isMeant(
  { samlKeys, serviceProviders }: SamlLoginPorts,
  tx: ReadTransaction,
  {
    request,
    issuer,
    userId,
  }: { readonly request: LoginRequest; readonly issuer: string; readonly userId: UserId },
): Promise<boolean> {
  const subject = fromSamlLoginData(request).request?.subject;
  if (subject?.kind !== "name-id") return true;
  const applicationId = requireApplicationId(request);
  const { nameId } = subject;
  const named = await findParticipations(tx, {
    applicationId,
    nameIdHash: hashNameId(nameId.value),
    sessionIndexes: [],
  });
  const isTransientName = named.some((each) => each.nameIdFormat === "TRANSIENT" && each.userId === userId);
  if (isTransientName) return true;
  const sender = await serviceProviders.findById(tx, applicationId);
  const found = await findLoginUser(tx, userId);
  if (sender === undefined || found === undefined) return false;
  return isNameOf(nameId, {
    user: found.user,
    audience: sender.serviceProvider.entityId,
    issuer: entityIdOf(issuer),
    pairwiseSecret: await samlKeys.findPairwiseSecret(tx),
  });
}
