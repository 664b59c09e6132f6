import type { AssertionConsumerService } from "../../../identity/applications/saml/assertion-consumer-service.ts";
import type { ServiceProvider } from "../../../identity/applications/saml/service-provider.ts";
import { SamlFault } from "../bindings/saml-fault.ts";
import type { AcsRequest } from "./authn-request.ts";
import { httpPostBinding } from "./identifiers.ts";

type Registered = Pick<ServiceProvider, "assertionConsumerServices">;

/**
 * Decides where the answer goes: always to an endpoint of the metadata with the binding HTTP-POST (SAML Core §3.4.1, Profiles §4.1.4.1).
 * Without a wish, or without a request, it is the default, else the first one. Raises a SamlFault `acs` when the request wants
 * anything else, or there is none.
 */
export function chooseAcs(
  target: AcsRequest | undefined,
  { assertionConsumerServices }: Registered,
): AssertionConsumerService {
  const { index, url, binding } = target ?? {};
  // SAML Core §3.4.1: the index excludes the other two.
  if (index !== undefined && (url !== undefined || binding !== undefined)) throw refused();
  if (binding !== undefined && binding !== httpPostBinding) throw refused();
  const usable = assertionConsumerServices.filter((service) => service.binding === httpPostBinding);
  const chosen =
    usable.find((service) => {
      if (index !== undefined) return service.index === index;
      return url === undefined ? service.isDefault : service.location === url;
    }) ?? (index === undefined && url === undefined ? usable[0] : undefined);
  if (chosen === undefined) throw refused();
  return chosen;
}

/** Says whether answers may go to a location at this moment. */
export function isAcs(location: string, { assertionConsumerServices }: Registered): boolean {
  return assertionConsumerServices.some(
    (service) => service.binding === httpPostBinding && service.location === location,
  );
}

function refused(): SamlFault {
  return new SamlFault(
    "acs",
    "the metadata of the service provider does not have that endpoint by HTTP-POST",
  );
}
