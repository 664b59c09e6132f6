import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";

/** Has a provider that speaks SAML, and a directory with a service account, of the organization. Nobody logs in at them. Returns their ids. */
export async function liveDirectories(
  service: ConnectedService,
  organizationId: string,
): Promise<readonly string[]> {
  const add = async (config: Parameters<typeof send>[0]) => idOf(await send(config), "idpId");
  const send = (config: {
    readonly case: "saml" | "ldap";
    readonly value: Readonly<Record<string, unknown>>;
  }) =>
    createCaller(service, organizationId)(IdentityProviderService.method.createIdentityProvider, {
      name: uniqueName("Provider"),
      config: config as { case: "ldap"; value: object }, // the fields are those of the kind
    });
  const metadataXml = await (await fetch(`${service.url}/saml/v2/metadata`)).text(); // the service is one, too
  const [entityId = ""] = /(?<=entityID=")[^"]+/.exec(metadataXml) ?? [];
  return [
    await add({ case: "saml", value: { entityId, metadataXml } }),
    await add({
      case: "ldap",
      value: {
        servers: ["ldaps://directory.example.com"],
        baseDn: "dc=example,dc=com",
        bindDn: "cn=reader,dc=example,dc=com",
        bindPassword: "directory password",
        loginAttributes: ["uid"],
      },
    }),
  ];
}
