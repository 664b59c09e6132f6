import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type InstanceId, type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { LoggedEvent } from "../../../kernel/events/event.ts";
import { processedSequence } from "../../../kernel/events/processed-sequence.ts";
import { findSecret } from "../../../kernel/events/secret-store.ts";
import type { FeatureContext } from "../../context.ts";
import type { EventScope } from "../../events/event.ts";
import { hideAddresses } from "../../events/hidden-addresses.ts";
import { takeWithinBytes } from "../../events/page-bytes.ts";
import { listEventHeads, scanEvents } from "../../events/repository.ts";
import { type Creator, findCreator } from "../target/creator-repository.ts";
import { findTarget } from "../target/repository.ts";
import { signingSecretIdOf, type Target, typesOf } from "../target/target.ts";
import type { TargetPosition } from "../positions/position.ts";
import { findPosition } from "../positions/position-repository.ts";

/** What batches are read with. */
export interface BatchPorts {
  readonly context: Pick<FeatureContext, "database" | "clock" | "log" | "keyring">;
  readonly instanceId: InstanceId;
}

/** The next events of a target, and all that it takes to send them. It counts as long as nothing that decides about it has changed. */
export interface Batch {
  readonly target: Target;
  readonly creator: Creator;
  readonly secrets: readonly Secret[];
  readonly position: TargetPosition;
  readonly events: readonly LoggedEvent[];
  /** Every event up to this sequence is in the batch, was delivered before, or is not for the target. */
  readonly upTo: number;
  /** Whether there is nothing behind the batch. */
  readonly isEnd: boolean;
  /** Whether it took more than one look through the log. */
  readonly wasFar: boolean;
}

/** What is known of the log for a target from an earlier look: nothing up to the sequence is left to deliver. */
export interface Known {
  readonly generation: number;
  /** That of the target, whose settings may be others afterwards. */
  readonly targetSequence: number;
  readonly sequence: number;
}

const eventsAtOnce = 64;
const batchBytes = 1024 * 1024;
/** Near the end of the log one look finds what there is; where there is more, an index leads to it. */
const headsAtOnce = 500;

/** Reads the next events of a target. Undefined: nothing may go to it at this moment. */
export async function readBatch(
  { context, instanceId }: BatchPorts,
  id: string,
  known: Known | undefined,
): Promise<Batch | undefined> {
  const { database, clock, log } = context;
  return await database.read(async (tx) => {
    const upTo = await processedSequence(tx);
    const target = await findTarget(tx, id);
    if (target?.state !== "ACTIVE") return undefined;
    const creator = await findCreator(tx, target, { instanceId, nowMs: clock.nowMs() });
    if (creator === undefined) return undefined;
    const position = (await findPosition(tx, id)) ?? beginOf(target);
    const owner = target.details.resourceOwner;
    const scope: EventScope = owner === instanceId ? "all" : [toId<OrganizationId>(owner)];
    const after = startAt(position, target, known);
    const found = await findEvents(tx, { target, scope, after, upTo });
    const sequences = await takeWithinBytes(tx, found.sequences, batchBytes);
    const isWhole = sequences.length === found.sequences.length;
    return {
      target,
      creator,
      secrets: await readSecrets(context, tx, target),
      position,
      events: await hideAddresses(tx, creator, await log.read(tx, sequences)),
      upTo: isWhole ? found.upTo : (sequences.at(-1) ?? after),
      isEnd: isWhole && found.upTo >= upTo,
      wasFar: found.wasFar,
    };
  });
}

function beginOf({ id, details }: Target): TargetPosition {
  const none = { attempts: 0, nextAttemptMs: 0, generation: 0, holder: "", heldUntilMs: 0 };
  return { targetId: id, sequence: details.creationDate, ...none };
}

function startAt(position: TargetPosition, { details }: Target, known: Known | undefined): number {
  const isKnown = known?.generation === position.generation && known.targetSequence === details.sequence;
  return isKnown ? Math.max(known.sequence, position.sequence) : position.sequence;
}

interface Found {
  readonly sequences: readonly number[];
  readonly upTo: number;
  readonly wasFar: boolean;
}

/** Finds the next events: among the last ones of the log, or on the indexes of types and owners. */
async function findEvents(
  tx: ReadTransaction,
  {
    target,
    scope,
    after,
    upTo,
  }: { readonly target: Target; readonly scope: EventScope; readonly after: number; readonly upTo: number },
): Promise<Found> {
  const heads = await listEventHeads(tx, after, headsAtOnce);
  const types = typesOf(target.eventTypes);
  const wanted: ReadonlySet<string> = new Set(types);
  const matching = heads.filter(
    (head) => wanted.has(head.type) && (scope === "all" || scope.some((own) => own === head.resource_owner)),
  );
  const isAll = heads.length < headsAtOnce;
  const sequences = matching.slice(0, eventsAtOnce).map(({ sequence }) => sequence);
  if (matching.length > eventsAtOnce || (!isAll && matching.length === eventsAtOnce))
    return { sequences, upTo: sequences.at(-1) ?? after, wasFar: false };
  if (isAll) return { sequences, upTo: Math.max(after, upTo), wasFar: false };
  const filter = { aggregateType: "", aggregateId: "", eventType: "", editor: "" };
  const among = target.eventTypes.length === 0 ? undefined : types;
  const range = { after, upTo, limit: eventsAtOnce };
  const scan = await scanEvents(tx, scope, { ...filter, among }, range);
  return { sequences: scan.sequences, upTo: scan.rest.after, wasFar: true };
}

async function readSecrets(
  { keyring }: BatchPorts["context"],
  tx: ReadTransaction,
  { secrets }: Target,
): Promise<readonly Secret[]> {
  const opened: Secret[] = [];
  for (const secret of secrets) {
    const id = signingSecretIdOf(secret.id);
    const stored = await findSecret(tx, id);
    if (stored === undefined) throw new Error(`the signing secret ${secret.id} is missing`);
    opened.push(new Secret(Buffer.from(keyring.decrypt("target-secret", stored, id)).toString()));
  }
  return opened;
}
