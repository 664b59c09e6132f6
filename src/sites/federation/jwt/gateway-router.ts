import { methodNotAllowed } from "../../../kernel/http/errors/refusals.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { type InteractionRequest, withWayBack } from "../../login/flow/visits.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { federationPaths } from "../provider/paths.ts";
import type { FederationPorts } from "../provider/ports.ts";
import { answerGateway } from "./gateway-answer.ts";

/** GET has effects, which HEAD must not have (RFC 9110 §9.2.1). */
const verbs: readonly string[] = ["GET", "POST"];

/**
 * Answers the path to which gateways forward browsers, whatever the host of the request: it may be the gateway's own. Raises
 * METHOD_NOT_ALLOWED.
 */
export async function routeGateway(
  from: Omit<InteractionRequest, "id">,
  { keys, waitingLimit }: Pick<FederationPorts, "keys" | "waitingLimit">,
): Promise<{ readonly operation: string; readonly answer: Reply }> {
  const { verb, query } = from.exchange;
  if (!verbs.includes(verb)) throw methodNotAllowed(verbs);
  const parameters = new URLSearchParams(query);
  const id = onlyOne(parameters, "authRequestID", /^[1-9][0-9]{0,18}$/);
  const userAgentId = onlyOne(parameters, "userAgentID", /^[\w-]{43}$/);
  const request = { ...from, id, userAgentId, keys, waitingLimit };
  return { operation: federationPaths.jwt, answer: await withWayBack(request, () => answerGateway(request)) };
}

function onlyOne(parameters: URLSearchParams, name: string, pattern: RegExp): string {
  const [value = "", ...more] = parameters.getAll(name);
  if (more.length > 0 || !pattern.test(value)) throw new PageRefusal("bad-request");
  return value;
}
