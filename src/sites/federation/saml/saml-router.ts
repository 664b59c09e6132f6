import { methodNotAllowed } from "../../../kernel/http/errors/refusals.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { redirectToIssuer } from "../../login/issuer-origin.ts";
import type { ReturnRequest } from "../provider/held-visit.ts";
import { federationPaths } from "../provider/paths.ts";
import { keepSamlAnswer, takeSamlAnswer } from "./acs.ts";
import type { UpstreamPorts } from "./ports.ts";
import { answerSpMetadata } from "./sp-metadata.ts";

/** Answers our paths for providers of SAML. Raises METHOD_NOT_ALLOWED. */
export async function routeSaml(
  request: ReturnRequest,
  ports: UpstreamPorts,
): Promise<{ readonly operation: string; readonly answer: Reply }> {
  const { exchange, issuer } = request;
  const { verb, path } = exchange;
  if (path === federationPaths.samlMetadata) {
    if (verb !== "GET" && verb !== "HEAD") throw methodNotAllowed(["GET", "HEAD"]);
    return { operation: path, answer: await answerSpMetadata(ports, issuer) };
  }
  if (verb === "POST") return { operation: path, answer: await keepSamlAnswer(request) };
  if (verb !== "GET") throw methodNotAllowed(["GET", "POST"]); // GET has effects, which HEAD must not have
  const answer = redirectToIssuer(exchange, issuer) ?? (await takeSamlAnswer(ports, request));
  return { operation: path, answer };
}
