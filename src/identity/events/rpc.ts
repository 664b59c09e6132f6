import { create, type JsonObject, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { EventSchema } from "../../../gen/gatehouse/v1/event_pb.ts";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import type { LoggedEvent } from "../../kernel/events/event.ts";
import type { FeatureContext } from "../context.ts";
import { toListAnswer, toPageRequest, toTimestamp } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { EventCommands } from "./commands.ts";
import { type EventFilter, findUnknownTypes } from "./event.ts";

/** Maps the messages of EventService to commands. */
export function createEventService(commands: EventCommands, context: FeatureContext): ServiceImplementation {
  return implementService(EventService, {
    listEvents: {
      check: findUnknownTypes,
      run: async (call, request) => {
        const { afterSequence, beforeSequence, newestFirst } = request;
        const before = beforeSequence === 0n ? undefined : toPosition(beforeSequence);
        const asked = { filter: toFilter(request), after: toPosition(afterSequence), before, newestFirst };
        const listed = await commands.list(call, asked, toPageRequest(request));
        return { ...toListAnswer(listed, context), events: listed.page.items.map(toEventMessage) };
      },
    },
    watchEvents: {
      check: findUnknownTypes,
      async *open(call, request) {
        const { afterSequence, bookmarks } = request;
        const after = afterSequence === undefined ? undefined : toPosition(afterSequence);
        for await (const sent of commands.watch(call, { filter: toFilter(request), after, bookmarks }))
          yield "bookmark" in sent
            ? { bookmark: BigInt(sent.bookmark) }
            : { event: toEventMessage(sent.event) };
      },
    },
  });
}

/** Returns the protobuf JSON of an event, the same as in the JSON answers of the service. */
export function toEventJson(event: LoggedEvent): JsonObject {
  const message = create(EventSchema, toEventMessage(event));
  return toJson(EventSchema, message, { alwaysEmitImplicit: true }) as JsonObject; // that of a message is an object
}

function toEventMessage(event: LoggedEvent): MessageInitShape<typeof EventSchema> {
  return {
    sequence: BigInt(event.sequence),
    creationDate: toTimestamp(event.date),
    aggregateType: event.aggregateType,
    aggregateId: event.aggregateId,
    eventType: event.type,
    version: event.version,
    resourceOwner: event.resourceOwner,
    editor: event.editor,
    remoteAddress: event.remoteAddress ?? "",
    requestId: event.requestId,
    payload: event.payload as JsonObject, // it was parsed from JSON
  };
}

function toFilter({ aggregateType, aggregateId, eventType, editor }: EventFilter): EventFilter {
  return { aggregateType, aggregateId, eventType, editor };
}

/** No sequence is beyond 2^53, so no event can be after such a value. */
function toPosition(sequence: bigint): number {
  return Number(sequence > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : sequence);
}
