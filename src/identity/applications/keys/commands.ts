import type { Call } from "../../../kernel/base/call.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { TokenId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import { requireBelowLimit } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { type ClientKey, maxKeys, toClientKeyPair } from "../../client-keys/client-key.ts";
import { requireForApiAccess } from "../../api-access/api-access.ts";
import { type FeatureContext, write } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { type ListedPage, readList } from "../../list.ts";
import { requireFuture } from "../../programs/tokens/token.ts";
import type { ApplicationName } from "../application/application.ts";
import { requireOAuth } from "../oauth/oauth-application.ts";
import { getOAuthApplication } from "../oauth/repository.ts";
import { addApplicationKey, removeApplicationKey, toApplicationKeyFile } from "./application-key.ts";
import { applicationKeyList, countApplicationKeys, getKeyOfApplication } from "./repository.ts";

/** The use cases of the keys of applications. Each raises NOT_FOUND, and WRONG_KIND for a SAML application. */
export interface ApplicationKeyCommands {
  /**
   * Adds a key, and makes it if there is none in the input; then `file` holds the private half. Also raises FIELD_INVALID,
   * KEY_INVALID, LIMIT_REACHED, and PERMISSION_DENIED (api_access).
   */
  addKey(
    call: Call,
    asked: ApplicationName,
    key: {
      readonly expirationMs: number | undefined;
      /** Empty = none. */
      readonly publicKey: Uint8Array;
    },
  ): Promise<{ readonly id: TokenId; readonly details: Details; readonly file: Secret | undefined }>;
  /** Those that have expired too. Also raises PAGE_TOKEN_INVALID. */
  listKeys(call: Call, asked: ApplicationName, page: PageRequest): Promise<ListedPage<ClientKey>>;
  getKey(call: Call, asked: ApplicationName, keyId: string): Promise<ClientKey>;
  removeKey(call: Call, asked: ApplicationName, keyId: string): Promise<Removal>;
}

/** Creates the commands of keys of applications. */
export function createApplicationKeyCommands(context: FeatureContext): ApplicationKeyCommands {
  const { database, clock } = context;
  return {
    async addKey(call, asked, { expirationMs, publicKey: sent }) {
      requireFuture(expirationMs, clock.nowMs());
      const { publicKey, privateKey } = await toClientKeyPair(sent);
      return await write(context, call, async (command) => {
        const { tx, append } = command;
        const application = requireOAuth(await getOAuthApplication(tx, call.access, asked));
        if (application.apiAccess) await requireForApiAccess(command);
        const count = await countApplicationKeys(tx, application.id, maxKeys);
        requireBelowLimit(count, { type: "key", max: maxKeys });
        const id = tx.nextId<TokenId>();
        const date = await append([addApplicationKey(application, { id, publicKey, expirationMs })]);
        const file = privateKey && toApplicationKeyFile({ id, applicationId: application.id, privateKey });
        return { id, details: createdDetails(date, application.details.resourceOwner), file };
      });
    },
    listKeys: (call, asked, page) =>
      database.read(async (tx) => {
        const { id: of } = requireOAuth(await getOAuthApplication(tx, call.access, asked));
        return await readList(context, tx, {
          list: applicationKeyList,
          call,
          asked: { of, filter: {} },
          page,
        });
      }),
    getKey: (call, asked, keyId) =>
      database.read(async (tx) => {
        const { id } = requireOAuth(await getOAuthApplication(tx, call.access, asked));
        return await getKeyOfApplication(tx, id, keyId);
      }),
    removeKey: (call, asked, keyId) =>
      remove(context, call, {
        async load({ tx }) {
          const { id: applicationId } = requireOAuth(await getOAuthApplication(tx, call.access, asked));
          return { ...(await getKeyOfApplication(tx, applicationId, keyId)), applicationId };
        },
        decide: (key) => [removeApplicationKey(key)],
      }),
  };
}
