import { methodNotAllowed } from "../../kernel/http/errors/refusals.ts";
import type { LoginRouter } from "../login/flow/router.ts";
import { redirectToIssuer } from "../login/issuer-origin.ts";
import type { LoginPorts } from "../login/ports.ts";
import { routeGateway } from "./jwt/gateway-router.ts";
import { keepReturn, takeReturn } from "./oidc/callback.ts";
import type { AllPorts } from "./provider-logins.ts";
import { federationPaths } from "./provider/paths.ts";
import { routeSaml } from "./saml/saml-router.ts";

/** Creates the router of the paths that browsers come back to. It raises METHOD_NOT_ALLOWED. */
export function createFederationRouter(ports: AllPorts): (login: LoginPorts) => LoginRouter {
  return (login) => async (exchange, issuer) => {
    if (exchange.path === federationPaths.jwt)
      return await routeGateway({ ports: login, exchange, issuer }, ports);
    if (exchange.path === federationPaths.samlAcs || exchange.path === federationPaths.samlMetadata)
      return await routeSaml({ ports: login, exchange, issuer }, ports);
    const request = { ports: login, exchange, issuer };
    if (exchange.verb === "POST")
      return { operation: federationPaths.callback, answer: await keepReturn(request) };
    if (exchange.verb !== "GET") throw methodNotAllowed(["GET", "POST"]); // GET has effects, which HEAD must not have
    const answer = redirectToIssuer(exchange, issuer) ?? (await takeReturn(ports, request));
    return { operation: federationPaths.callback, answer };
  };
}
