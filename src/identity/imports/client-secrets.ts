import type { WriteTransaction } from "../../kernel/base/database.ts";
import {
  type ApplicationId,
  type OrganizationId,
  toId,
  type TokenId,
  type UserId,
} from "../../kernel/base/ids.ts";
import { putSecret } from "../../kernel/events/secret-store.ts";
import { keepApplicationSecret } from "../applications/oauth/oauth-application.ts";
import type { FeatureContext } from "../context.ts";
import { keepSecretOfUser } from "../programs/secrets/secret.ts";

/** A secret that a client had in another system, as it is stored. */
export interface KeptSecret {
  readonly kind: "application" | "service_user";
  /** Of the client here. */
  readonly id: string;
  readonly hash: Uint8Array;
}

/** Gives an application of OpenID Connect or a service user a secret that it has already, in place of one that was made for it. */
export async function keepClientSecret(
  { log }: Pick<FeatureContext, "log">,
  tx: WriteTransaction,
  kept: KeptSecret & { readonly organizationId: OrganizationId },
): Promise<void> {
  const { organizationId } = kept;
  const id = tx.nextId<TokenId>();
  const { event, hashId } =
    kept.kind === "service_user"
      ? keepSecretOfUser({ id, userId: toId<UserId>(kept.id), organizationId })
      : keepApplicationSecret({
          id,
          application: { id: toId<ApplicationId>(kept.id), kind: "oidc", resourceOwner: organizationId },
        });
  await log.append(tx, { editor: "system", remoteAddress: undefined, requestId: "import" }, [event]);
  await putSecret(tx, hashId, { keyId: "", value: kept.hash });
}
