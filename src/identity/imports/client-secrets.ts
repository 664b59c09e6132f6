import type { WriteTransaction } from "../../kernel/base/database.ts";
import { type ApplicationId, type OrganizationId, toId, type TokenId } from "../../kernel/base/ids.ts";
import { putSecret } from "../../kernel/events/secret-store.ts";
import { keepApplicationSecret } from "../applications/oauth/oauth-application.ts";
import type { FeatureContext } from "../context.ts";

/** Gives an application of OpenID Connect a secret that it has already, in place of the one that was made for it. */
export async function keepClientSecret(
  { log }: Pick<FeatureContext, "log">,
  tx: WriteTransaction,
  kept: { readonly id: string; readonly organizationId: OrganizationId; readonly hash: Uint8Array },
): Promise<void> {
  const { event, hashId } = keepApplicationSecret({
    id: tx.nextId<TokenId>(),
    application: { id: toId<ApplicationId>(kept.id), kind: "oidc", resourceOwner: kept.organizationId },
  });
  await log.append(tx, { editor: "system", remoteAddress: undefined, requestId: "import" }, [event]);
  await putSecret(tx, hashId, { keyId: "", value: kept.hash });
}
