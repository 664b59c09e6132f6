import type { ApplicationId, TokenId } from "../../kernel/base/ids.ts";
import type { Secret } from "../../kernel/base/secret.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import { putSecret } from "../../kernel/events/secret-store.ts";
import type { FeatureContext } from "../context.ts";
import { removeApplication } from "../applications/application/application.ts";
import { isSecretMethod, setApplicationSecret } from "../applications/oauth/oauth-application.ts";
import { addExternalClient, type ExternalClientMetadata } from "../applications/oidc/external-client.ts";
import { countRegistered, findOldestUnused, listUnused } from "./repository.ts";
import { findExternalProject } from "./take-up.ts";

/** A client that has registered itself. */
export interface RegisteredClient {
  readonly id: ApplicationId;
  /** Undefined when it authenticates without one. */
  readonly secret: Secret | undefined;
}

const maxRegistered = 10_000;
const registrar = { editor: "system", remoteAddress: undefined, requestId: "external_client" } as const;
const background = { editor: "system", remoteAddress: undefined, requestId: "background" } as const;
const dayMs = 24 * 3_600_000;
const portion = 50;

/**
 * Registers a client in the write `tx`. When there are too many, the oldest one that nobody has logged in to goes first. Full: there is
 * none. Off: clients may not register.
 */
export async function registerClient(
  { log, random }: Pick<FeatureContext, "log" | "random">,
  tx: WriteTransaction,
  metadata: ExternalClientMetadata,
): Promise<RegisteredClient | "off" | "full"> {
  const project = await findExternalProject(tx, "REGISTRATION");
  if (project === undefined) return "off";
  const isFull = (await countRegistered(tx, maxRegistered)) >= maxRegistered;
  const victim = isFull ? await findOldestUnused(tx) : undefined;
  if (isFull && victim === undefined) return "full";
  const id = tx.nextId<ApplicationId>();
  const { resourceOwner } = project.details;
  const made = isSecretMethod(metadata.method)
    ? setApplicationSecret({
        id: tx.nextId<TokenId>(),
        application: { id, kind: "oidc", resourceOwner },
        random,
      })
    : undefined;
  await log.append(tx, registrar, [
    ...(victim === undefined ? [] : removeApplication(victim)),
    addExternalClient({ id, kind: "REGISTRATION", project, metadata }),
    ...(made === undefined ? [] : [made.event]),
  ]);
  if (made !== undefined) await putSecret(tx, made.hashId, { keyId: "", value: made.hash });
  return { id, secret: made?.secret };
}

/**
 * Removes active external clients that nobody has logged in to within a day, and those that nobody has used for 90 days. A client with a
 * document comes back with its next login.
 */
export async function removeUnusedClients({
  database,
  clock,
  log,
}: Pick<FeatureContext, "database" | "clock" | "log">): Promise<void> {
  let count: number;
  do
    count = await database.write(async (tx) => {
      const nowMs = clock.nowMs();
      const times = { nowMs, unseenMs: nowMs - dayMs, unusedMs: nowMs - 90 * dayMs };
      const clients = await listUnused(tx, { ...times, limit: portion });
      if (clients.length > 0) await log.append(tx, background, clients.flatMap(removeApplication));
      return clients.length;
    });
  while (count >= portion);
}
