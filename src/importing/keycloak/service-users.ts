import { OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { Secret } from "../../kernel/base/secret.ts";
import { flagIn, textIn, textsIn } from "../json-fields.ts";
import type { JsonFields } from "../json-members.ts";
import { type Remark, remark, type ServiceUserRecord } from "../records.ts";
import { quote } from "../report.ts";
import { builtInClients, type RealmRoles } from "./roles.ts";
import { rolesOfHolder } from "./users.ts";

/** Says whether a client gets tokens for itself. */
export function hasServiceAccount(client: JsonFields): boolean {
  return (
    flagIn(client, "serviceAccountsEnabled") &&
    client["enabled"] !== false &&
    !builtInClients.has(textIn(client, "clientId"))
  );
}

/** Makes the record of the service user that a client is. `account`: the user that Keycloak keeps for it (UserRepresentation). */
export function toServiceUser(
  client: JsonFields,
  account: JsonFields,
  roles: RealmRoles,
): readonly (ServiceUserRecord | Remark)[] {
  const clientId = textIn(client, "clientId");
  const where = `service account of client ${quote(clientId)}`;
  if (account["enabled"] === false) return [remark(where, "note", "is left out: it is disabled")];
  const remarks: Pick<Remark, "mark" | "text">[] = [];
  const secret = textIn(client, "secret");
  const hasSecret = methodOfClient(client) === OidcAuthMethodType.BASIC && secret !== "";
  const record: ServiceUserRecord = {
    kind: "service_user",
    where,
    oldId: textIn(client, "id"),
    name: textIn(client, "name") || clientId,
    // Of its own: people may have the name of a client.
    username: textIn(account, "username") || `service-account-${clientId}`,
    description: textIn(client, "description"),
    secret: hasSecret ? new Secret(secret) : undefined,
    groups: textsIn(account, "groups"),
    roles: rolesOfHolder(account, roles, remarks),
  };
  return [record, ...remarks.map(({ mark, text }) => remark(where, mark, text))];
}

/** Says how a client that is not public authenticates. */
export function methodOfClient(client: JsonFields): OidcAuthMethodType {
  return ["client-jwt", "client-x509"].includes(textIn(client, "clientAuthenticatorType"))
    ? OidcAuthMethodType.PRIVATE_KEY_JWT
    : OidcAuthMethodType.BASIC;
}
