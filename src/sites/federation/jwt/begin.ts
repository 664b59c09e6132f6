import { hash } from "node:crypto";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import type { JwtConfig } from "../../../identity/providers/jwt.ts";
import { findInteraction } from "../../../identity/logins/interactions/repository.ts";
import { putJwtLogin } from "../../../identity/protocol-state/jwt-logins/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { hashCookie, newCookieValue } from "../../login/cookies/cookies.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import { redirectTo } from "../../login/layout.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { LeavingBrowser } from "../../login/provider-logins.ts";
import type { FederationPorts } from "../provider/ports.ts";
import { mayBeSentTo } from "../provider/may-be-sent-to.ts";
import { ProviderFailure, withFailurePages } from "../provider/provider-failure.ts";

/** A provider whose gateway sends JWTs. */
export type JwtProvider = Omit<IdentityProvider, "config"> & { readonly config: JwtConfig };

/**
 * Sends the browser to the gateway of a JWT provider. `authRequestID` names the interaction, and `userAgentID` this one way there:
 * it is random, so that an attacker cannot make the service read JWTs by guessing interactions. Neither lets anybody in.
 */
export async function beginJwtLogin(
  ports: FederationPorts,
  browser: LeavingBrowser,
  { id, details, config }: JwtProvider,
): Promise<Reply> {
  const { context, logger } = ports;
  const { exchange, state, cookie } = browser;
  const { requestId } = exchange;
  const { interaction } = state;
  const { jwtEndpoint } = config;
  await withFailurePages({ logger, providerId: id, requestId }, async () => {
    if (!mayBeSentTo(ports, jwtEndpoint))
      throw new ProviderFailure("unavailable", "jwt_endpoint is not https");
  });
  const userAgentId = newCookieValue(context.random).reveal();
  await writeFor({ ports, exchange }, async (tx) => {
    const asked = { id: interaction.id, cookieHash: hashCookie(cookie), nowMs: context.clock.nowMs() };
    if ((await findInteraction(tx, asked)) === undefined) throw new PageRefusal("begin-again");
    await putJwtLogin(tx, {
      interactionId: interaction.id,
      providerId: id,
      organizationId: toId<OrganizationId>(details.resourceOwner),
      userAgentHash: hash("sha256", userAgentId, "base64url"),
      expirationMs: interaction.expirationMs,
    });
  });
  const { href } = new URL(jwtEndpoint); // a header takes no characters that browsers encode
  const separator = href.includes("?") ? "&" : "?";
  return redirectTo(`${href}${separator}authRequestID=${interaction.id}&userAgentID=${userAgentId}`);
}
