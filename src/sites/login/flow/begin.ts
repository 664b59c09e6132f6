import type { InteractionId } from "../../../kernel/base/ids.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { newCookieValue } from "../cookies/cookies.ts";
import { beginInteraction } from "../interaction.ts";
import { toInteractionCookies } from "../cookies/interaction-cookies.ts";
import { redirectToIssuer } from "../issuer-origin.ts";
import { redirectTo } from "../layout.ts";
import type { LoginRequest } from "../login-request.ts";
import type { LoginBeginning } from "../logins.ts";
import type { LoginPorts } from "../ports.ts";
import { readSessionCookie } from "../cookies/session-cookies.ts";
import { enter } from "./go-on.ts";
import { storeNewInteraction } from "./interaction-store.ts";
import { answerFor } from "./write-for.ts";

/** A request of an application, in the exchange with the browser that brought it. */
export interface BeginningLogin {
  readonly ports: LoginPorts;
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly request: LoginRequest;
  readonly beginning: LoginBeginning;
}

/** Begins a login: see `Logins.begin`. */
export async function beginLogin(login: BeginningLogin): Promise<Reply> {
  const { ports, exchange, issuer, request, beginning } = login;
  const elsewhere = redirectToIssuer(exchange, issuer);
  if (elsewhere !== undefined) return elsewhere;
  const { clock, random } = ports.context;
  const cookie = newCookieValue(random);
  return await answerFor(login, async (tx, hooks) => {
    await beginning.use?.(tx);
    const id = tx.nextId<InteractionId>();
    const { refusal, unlessFinished } = beginning;
    const interaction = { ...beginInteraction(id, request, clock.nowMs()), refusal };
    if (exchange.verb !== "POST") {
      const sessionHash = readSessionCookie(exchange, issuer);
      const begun = { ports, exchange, issuer, hooks, sessionHash, cookie, interaction };
      return await enter(tx, { ...begun, isNew: true, unlessFinished });
    }
    await unlessFinished?.(tx);
    await storeNewInteraction(ports.context, tx, { interaction, cookie, exchange });
    const path = ports.protocols[request.protocol].pathOfAnswer?.(id) ?? `/login/${id}/continue`;
    return redirectTo(`${issuer}${path}`, toInteractionCookies(exchange, issuer, { id, cookie }));
  });
}
