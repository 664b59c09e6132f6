import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { usePushedRequest } from "../../../identity/protocol-state/pushed-requests/repository.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { PageRefusalKind } from "../../login/texts/page-refusal-kind.ts";
import type { OidcClient } from "../clients/client.ts";
import { type ClientLookup, findClient } from "../clients/repository.ts";
import type { Parameters } from "../requests/form.ts";
import { findPushedParameters } from "./pushed-parameters.ts";
import { hashRequestUri, isRequestUri } from "./request-uri.ts";

/** What an application asks for. */
export interface AskedLogin {
  /** Undefined: nobody knows it. */
  readonly client: OidcClient | undefined;
  readonly parameters: Parameters;
  /** Uses up what was pushed; undefined: nothing was. */
  readonly use: ((tx: WriteTransaction) => Promise<void>) | undefined;
}

/**
 * Finds the application, and what it asks for: what the browser brings, or what it refers to. Beside a reference and `client_id`
 * nothing else counts (RFC 9126 §4, RFC 9101 §6.3). Raises the page of an error for a reference that this application may not use now:
 * nothing is known then of where to send the browser.
 */
export async function findAsked(
  context: Pick<FeatureContext, "database" | "keyring" | "clock">,
  brought: Parameters,
  issuer: string,
): Promise<AskedLogin> {
  const { database, keyring, clock } = context;
  const applicationId = brought.values.get("client_id") ?? "";
  const requestUri = brought.values.get("request_uri");
  const nowMs = clock.nowMs();
  if (requestUri === undefined || !isRequestUri(requestUri)) {
    const client = await database.read((tx) => findOidcClient(tx, applicationId, { nowMs, issuer }));
    return { client, parameters: brought, use: undefined };
  }
  const { client, pushed } = await database.read(async (tx) => ({
    client: await findOidcClient(tx, applicationId, { nowMs, issuer }),
    pushed: await findPushedParameters(tx, keyring, { requestUri, applicationId, nowMs }),
  }));
  const backUrl = homeOfClient(client);
  const fault = findFaultInReference(brought, client);
  if (fault !== undefined) throw new PageRefusal(fault, { backUrl });
  if (pushed === undefined) throw new PageRefusal("begin-again", { backUrl });
  const use = async (tx: WriteTransaction): Promise<void> => {
    if (await usePushedRequest(tx, hashRequestUri(requestUri), clock.nowMs())) return;
    throw new PageRefusal("begin-again", { backUrl });
  };
  return { client, parameters: pushed, use };
}

/** Returns where a page of an error leads back to: the first address that is registered for browsers that were logged out. */
export function homeOfClient(client: OidcClient | undefined): string | undefined {
  return client?.isActive === true ? client.settings.postLogoutRedirectUris[0] : undefined;
}

async function findOidcClient(
  tx: ReadTransaction,
  clientId: string,
  lookup: ClientLookup,
): Promise<OidcClient | undefined> {
  const client = await findClient(tx, clientId, lookup);
  return client?.kind === "oidc" ? client : undefined;
}

/** Says why a reference is not looked at: the name of the page of the error. */
function findFaultInReference(
  { values, repeated }: Parameters,
  client: OidcClient | undefined,
): PageRefusalKind | undefined {
  if (repeated.has("client_id") || repeated.has("request_uri") || !values.has("client_id"))
    return "bad-application-request";
  if (values.has("request")) return "bad-application-request"; // OpenID Connect Core §6.1: never both
  if (client === undefined) return "unknown-application";
  return client.isActive ? undefined : "inactive-application";
}
