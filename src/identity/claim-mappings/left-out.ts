import type { Origin } from "../../kernel/base/call.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { FeatureContext } from "../context.ts";
import type { PlacedClaimMapping } from "./claim-mapping.ts";
import { findJoinedMappings } from "./repository.ts";

/** Where mappings hold. */
export interface MappingPlace {
  readonly projectId: string;
  readonly applicationId: string;
  /** The organization that owns the project. */
  readonly ownerId: string;
}

/** Mappings for which there was no room, and where they hold. */
export interface LeftOutMappings extends MappingPlace {
  readonly mappings: readonly PlacedClaimMapping[];
}

const recorder: Origin = { editor: "system", remoteAddress: undefined, requestId: "claim-mappings" };

/** Decides to mark mappings that were left out: an event for each that has no mark since it was set. */
export function markLeftOut({ mappings, ...place }: LeftOutMappings): readonly NewEvent[] {
  const fresh = mappings.filter(({ leftOutMicros }) => leftOutMicros === undefined);
  return fresh.map((mapping) => toMark(mapping, place));
}

function toMark({ name, of }: PlacedClaimMapping, place: MappingPlace): NewEvent {
  const about = { resourceOwner: place.ownerId, payload: { name } };
  return of === "project"
    ? { type: "project.claim.left_out", aggregateId: place.projectId, ...about }
    : { type: "application.claim.left_out", aggregateId: place.applicationId, ...about };
}

/** Marks mappings that a read has left out, in a write of its own. Does nothing for those that have a mark, which costs nothing. */
export async function noteLeftOut(
  { database, log }: Pick<FeatureContext, "database" | "log">,
  leftOut: LeftOutMappings | undefined,
): Promise<void> {
  if (leftOut === undefined || markLeftOut(leftOut).length === 0) return;
  await database.write(async (tx) => {
    const stored = await findJoinedMappings(tx, leftOut);
    const mappings = stored.filter(({ name, of }) =>
      leftOut.mappings.some((mapping) => mapping.name === name && mapping.of === of),
    );
    const events = markLeftOut({ ...leftOut, mappings });
    if (events.length > 0) await log.append(tx, recorder, events);
  });
}
