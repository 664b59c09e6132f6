import { X509Certificate } from "node:crypto";
import type { SamlKey } from "../../../identity/signing-keys/saml-key.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { PageRefusal } from "../../login/page-refusal.ts";

/**
 * Answers with the certificate of a published key, as PEM, for service providers that do not read metadata: the certificate of
 * `key_id`, by default of the key that signs, which is the first one. Refuses the id of any other key, and two of them.
 */
export function answerCertificate(
  exchange: Pick<Exchange, "query">,
  published: readonly Pick<SamlKey, "id" | "certificate">[],
): Reply {
  const keyIds = new URLSearchParams(exchange.query).getAll("key_id");
  if (keyIds.length > 1) throw new PageRefusal("bad-request");
  const [keyId] = keyIds;
  const key = keyId === undefined ? published[0] : published.find(({ id }) => id === keyId);
  if (key === undefined) throw new PageRefusal("not-found");
  return {
    status: 200,
    headers: {
      "content-type": "application/x-pem-file",
      "content-disposition": 'attachment; filename="gatehouse.crt"',
    },
    body: new X509Certificate(key.certificate).toString(),
  };
}
