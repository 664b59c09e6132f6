import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { InteractionId } from "../../../kernel/base/ids.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { LogoutService, ServiceProvider } from "../../../identity/applications/saml/service-provider.ts";
import { removeSamlLogout } from "../../../identity/protocol-state/saml-logouts/repository.ts";
import { toPartialPath } from "../../login/standalone/logout-outcome.ts";
import type { LogoutOutcome } from "../messages/status.ts";
import { newMessageId } from "../messages/write-head.ts";
import type { KnownServiceProvider, ServiceProviders } from "../parties/service-providers.ts";
import {
  askMember,
  type AskedMember,
  type LogoutAsker,
  type LogoutMember,
  needsPage,
  nextMove,
} from "./chain.ts";
import { type SamlLogout, storeLogout } from "./logout-store.ts";

/** Where the browser goes next. */
export type SamlLogoutStep =
  | { readonly kind: "ask"; readonly member: AskedMember; readonly service: LogoutService }
  | { readonly kind: "page"; readonly path: string }
  /** A page of ours, from which the browser goes on by itself. */
  | { readonly kind: "pause"; readonly id: InteractionId }
  /**
   * `service`: where the service provider that began the logout gets its answer; undefined: nowhere, so that a page says that the
   * user is logged out.
   */
  | {
      readonly kind: "answer";
      readonly asker: ServiceProviderAsker;
      readonly service: LogoutService | undefined;
      readonly outcome: LogoutOutcome;
    };

/** A service provider that has sent a LogoutRequest. */
export type ServiceProviderAsker = Extract<LogoutAsker, { readonly kind: "service-provider" }>;

/** What a logout goes on with. */
export interface AdvancePorts {
  readonly context: Pick<FeatureContext, "random" | "keyring">;
  readonly serviceProviders: ServiceProviders;
}

/**
 * Goes on with a logout whose browser is here: stores the application that the browser is sent to, or ends the logout. Service
 * providers that cannot be asked are passed over.
 */
export async function advance(
  tx: WriteTransaction,
  ports: AdvancePorts,
  logout: SamlLogout,
): Promise<SamlLogoutStep> {
  const { random, keyring } = ports.context;
  let { chain } = logout;
  for (;;) {
    const move = nextMove(chain);
    if (move.kind === "answer") {
      await removeSamlLogout(tx, logout.id);
      return await toAnswer(tx, ports, { asker: chain.asker, isPartial: move.isPartial });
    }
    const service = await findAskable(tx, ports, move.member);
    if (service === undefined) {
      chain = { ...move.rest, isPartial: true };
      continue;
    }
    if (service.binding === "redirect" && needsPage(chain)) {
      await storeLogout(tx, keyring, { ...logout, chain: { ...chain, visits: 0 } });
      return { kind: "pause", id: logout.id };
    }
    const member =
      move.kind === "ask-again" ? move.member : { ...move.member, requestId: newMessageId(random) };
    await storeLogout(tx, keyring, { ...logout, chain: askMember(move.rest, member, service.binding) });
    return { kind: "ask", member, service };
  }
}

/** Returns where a service provider that has asked is answered: by the binding that it used, if it takes answers by that one. */
export function findAnswerService(
  { logoutServices }: Pick<ServiceProvider, "logoutServices">,
  binding: "redirect" | "post",
): LogoutService | undefined {
  return logoutServices.find((service) => service.binding === binding) ?? logoutServices[0];
}

/**
 * Finds where an application is asked to end its session: by HTTP-Redirect rather than HTTP-POST. Undefined for one that is not to
 * be asked at this moment, and for one whose answer could not be verified.
 */
async function findAskable(
  tx: ReadTransaction,
  { serviceProviders }: AdvancePorts,
  { applicationId }: LogoutMember,
): Promise<LogoutService | undefined> {
  const found = await serviceProviders.findById(tx, applicationId);
  if (found === undefined || !mayBeAsked(found)) return undefined;
  const { logoutServices } = found.serviceProvider;
  return logoutServices.find(({ binding }) => binding === "redirect") ?? logoutServices[0];
}

function mayBeAsked({ isActive, application, serviceProvider }: KnownServiceProvider): boolean {
  return isActive && !application.saml.settings.isLogoutDisabled && serviceProvider.signingKeys.length > 0;
}

async function toAnswer(
  tx: ReadTransaction,
  { serviceProviders }: AdvancePorts,
  { asker, isPartial }: { readonly asker: LogoutAsker; readonly isPartial: boolean },
): Promise<SamlLogoutStep> {
  if (asker.kind === "page")
    return { kind: "page", path: isPartial ? toPartialPath(asker.path) : asker.path };
  const found = await serviceProviders.findById(tx, asker.applicationId);
  const service =
    found?.isActive === true ? findAnswerService(found.serviceProvider, asker.binding) : undefined;
  return { kind: "answer", asker, service, outcome: isPartial ? "PartialLogout" : "Success" };
}
