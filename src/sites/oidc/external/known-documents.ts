import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { Parameters } from "../requests/form.ts";
import type { FindClient } from "../clients/known-clients.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { DocumentClients } from "./document-clients.ts";

const retryAfterMs = 60_000;

/**
 * Makes a look-up of clients that first fetches the document of one that nobody has created, if it has to be fetched again. Raises
 * temporarily_unavailable if that is not possible now: 429 if too much is fetched, 503 if its host does not answer.
 */
export function withDocuments(documents: Pick<DocumentClients, "keep">, findClient: FindClient): FindClient {
  return async (clientId, lookup) => {
    switch (await documents.keep(clientId, lookup.remoteAddress)) {
      case "known":
        return await findClient(clientId, lookup);
      case "unusable":
        return undefined;
      case "unreachable":
        throw notNow(503, "the host of the client does not answer; try again later");
      case "busy":
        throw notNow(429, "too many clients are looked up at the moment; try again later");
    }
  };
}

/** Raises the page of an error unless the client that a browser names is known, or none that describes itself by a document. */
export async function requireDocument(
  documents: Pick<DocumentClients, "keep">,
  { remoteAddress }: Pick<Exchange, "remoteAddress">,
  { values }: Pick<Parameters, "values">,
): Promise<void> {
  const outcome = await documents.keep(values.get("client_id") ?? "", remoteAddress);
  if (outcome === "busy") throw new PageRefusal("too-many-requests");
  if (outcome !== "known") throw new PageRefusal("unknown-application");
}

function notNow(status: number, description: string): OAuthError {
  return new OAuthError("temporarily_unavailable", description, { status, retryAfterMs });
}
