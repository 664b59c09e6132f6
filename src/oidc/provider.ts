import type { SigningKeyCommands } from "../features/signing-keys/commands.ts";
import type { Reply } from "../http/exchanges/reply.ts";
import { toProviderMetadata } from "./endpoints/discovery.ts";
import { toKeySet } from "./endpoints/keys.ts";

/** What the provider is made of. */
export interface ProviderOptions {
  readonly signingKeys: SigningKeyCommands;
}

/** Answers the requests of each endpoint. The issuer is handed in with each: a free port is known only once it is open. */
export interface Provider {
  readonly metadata: (issuer: string) => Promise<Reply>;
  readonly keys: () => Promise<Reply>;
}

/** Creates the provider. Loaded with the first request, so that a start does not wait for it. */
export function createProvider({ signingKeys }: ProviderOptions): Provider {
  return {
    metadata: async (issuer) => toPublicReply(toProviderMetadata(issuer)),
    keys: async () => toPublicReply(toKeySet(await signingKeys.listPublished())),
  };
}

/** Anybody may read these documents, and keep them for five minutes. */
function toPublicReply(document: object): Reply {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
    body: JSON.stringify(document),
  };
}
