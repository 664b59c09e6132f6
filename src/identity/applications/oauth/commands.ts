import type { Call } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { ApplicationId, TokenId } from "../../../kernel/base/ids.ts";
import type { Random } from "../../../kernel/base/random.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { requireVisible } from "../../../kernel/base/names/visible-name.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { putSecret } from "../../../kernel/events/secret-store.ts";
import { requireForApiAccess } from "../../api-access/api-access.ts";
import { type CommandTransaction, type FeatureContext, requireTarget, write } from "../../context.ts";
import type { Project } from "../../projects/project.ts";
import { getProject } from "../../projects/repository.ts";
import { type ApplicationName, applicationNameTaken } from "../application/application.ts";
import { isApplicationNameTaken } from "../application/repository.ts";
import {
  isSecretMethod,
  type OAuthApplicationBase,
  type OAuthMethod,
  requireOAuth,
  requireSecretMethod,
  setApplicationSecret,
} from "./oauth-application.ts";
import { getOAuthApplication } from "./repository.ts";

/** The use cases of the client secrets of applications. */
export interface ClientSecretCommands {
  /** Makes a secret; the former one ends. Raises NOT_FOUND, WRONG_KIND, STATE_CONFLICT, and PERMISSION_DENIED (api_access). */
  generateSecret(
    call: Call,
    asked: ApplicationName,
  ): Promise<{ readonly secret: Secret; readonly details: Details }>;
}

/** Creates the commands of client secrets. */
export function createClientSecretCommands(context: FeatureContext): ClientSecretCommands {
  return {
    generateSecret: (call, asked) =>
      write(context, call, async (command) => {
        const { call: now, tx, append } = command;
        const application = requireOAuth(
          requireTarget(now, await getOAuthApplication(tx, now.access, asked)),
        );
        if (application.apiAccess) await requireForApiAccess(command);
        requireSecretMethod(application);
        const { id, kind, details } = application;
        const of = { id, kind, resourceOwner: details.resourceOwner };
        const made = setApplicationSecret({
          id: tx.nextId<TokenId>(),
          application: of,
          random: context.random,
        });
        const date = await append([made.event]);
        await putHash(tx, made);
        return { secret: made.secret, details: changedDetails(details, date) };
      }),
  };
}

/** An application that was added. Its secret is undefined when it authenticates without one. */
export interface AddedClient {
  readonly id: ApplicationId;
  readonly details: Details;
  readonly secret: Secret | undefined;
}

/** Adds an application and, if it authenticates with one, its secret. Raises NOT_FOUND (project), FIELD_INVALID, ALREADY_EXISTS. */
export async function addOAuthApplication(
  { random }: { readonly random: Random },
  { call, tx, append }: CommandTransaction,
  input: {
    readonly projectId: string;
    readonly name: string;
    readonly kind: OAuthApplicationBase["kind"];
    readonly method: OAuthMethod;
    readonly decide: (id: ApplicationId, project: Project) => NewEvent;
  },
): Promise<AddedClient> {
  const { name, kind } = input;
  const project = await getProject(tx, call.access, input.projectId);
  requireVisible({ name });
  if (await isApplicationNameTaken(tx, project.id, name)) throw applicationNameTaken(name);
  const id = tx.nextId<ApplicationId>();
  const { resourceOwner } = project.details;
  const made = isSecretMethod(input.method)
    ? setApplicationSecret({ id: tx.nextId<TokenId>(), application: { id, kind, resourceOwner }, random })
    : undefined;
  const date = await append([input.decide(id, project), ...(made === undefined ? [] : [made.event])]);
  if (made !== undefined) await putHash(tx, made);
  return { id, details: createdDetails(date, resourceOwner), secret: made?.secret };
}

async function putHash(
  tx: WriteTransaction,
  { hashId, hash }: { readonly hashId: string; readonly hash: Uint8Array },
): Promise<void> {
  await putSecret(tx, hashId, { keyId: "", value: hash });
}
