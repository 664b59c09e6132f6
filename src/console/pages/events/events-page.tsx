import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { useApi, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import { EventService } from "../../../../gen/console/gatehouse/v1/event_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorView } from "../../ui/error-view.tsx";
import { aggregateWords } from "../../ui/events/aggregate-words.ts";
import { eventWords } from "../../ui/events/event-words.ts";
import { eventTexts } from "../../ui/events/texts.ts";
import { type Filter, FilterBar, readFilters } from "../../ui/list/filter-bar.tsx";
import { isId } from "../../ui/names/named-object.ts";
import { useNames } from "../../ui/names/use-names.ts";
import { useLater } from "../../ui/use-later.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { endOfEventDay, startOfDay } from "./event-filter.ts";
import type { EventQuery } from "./event-pages.ts";
import { EventRows } from "./event-rows.tsx";
import { EventsCsv } from "./events-csv.tsx";
import { useLive } from "./live/use-live.ts";
import { eventPageTexts } from "./texts.ts";
import { useEventList } from "./use-event-list.ts";

/** Lists the events of all organizations that the user may read, and of the instance. */
export function InstanceEventsPage(): JSX.Element {
  return <EventsView organizationId={undefined} />;
}

/** Lists the events of one organization. */
export function OrganizationEventsPage({ params }: PageProps<"organization">): JSX.Element {
  return <EventsView organizationId={params.organization} />;
}

type Chosen = Readonly<Record<string, string>>;

function EventsView({ organizationId }: { readonly organizationId: string | undefined }): JSX.Element {
  const texts = useTexts(eventPageTexts);
  const { place } = useNavigation();
  const filters = useFilters(organizationId === undefined);
  const chosen = readFilters(filters, place.query);
  const { user } = useApi();
  const names = useNames();
  const typed = chosen["editor"] ?? "";
  const editor = useQuery(async () => {
    if (typed === "" || typed === "system" || isId(typed)) return typed;
    // Usernames are those of an organization: that of the place, or the user's own.
    for (const id of [organizationId, chosen["organization"], user.details?.resourceOwner]) {
      const found = id === undefined || id === "" ? undefined : await names.typedUser(typed, id);
      if (found !== undefined) return found.id;
    }
    return undefined;
  }, [names, organizationId, typed, chosen["organization"]]);
  return (
    <PageFrame title={texts.title} lead={chosen["until"] === "" ? texts.lead : texts.past}>
      <FilterBar filters={filters} chosen={chosen} />
      <QueryView query={{ ...editor, data: editor.isLoading ? undefined : { id: editor.data } }}>
        {({ id }) =>
          id === undefined ? (
            <p class="empty">{texts.unknownEditor(typed)}</p>
          ) : (
            <EventsOf key={place.query} chosen={{ ...chosen, editor: id }} organizationId={organizationId} />
          )
        }
      </QueryView>
    </PageFrame>
  );
}

function EventsOf({
  chosen,
  organizationId,
}: {
  readonly chosen: Chosen;
  readonly organizationId: string | undefined;
}): JSX.Element {
  const texts = useTexts(eventPageTexts);
  const shared = useTexts(uiTexts);
  const ofEvents = useTexts(eventTexts);
  const { number } = useFormats();
  const names = useNames();
  const [open, setOpen] = useState<Event>();
  const query = useEventQuery(chosen, organizationId);
  const list = useEventList(query, [query]);
  const frame = useRef<HTMLDivElement>(null);
  const { events, isReading, isMore, problem, feed, readOlder } = list;
  const Details = useLater(
    async () => (await import("../../ui/events/event-dialog.tsx")).EventDialog,
    events.length > 0,
  );
  return (
    <div>
      {feed !== undefined && <LiveMark feed={feed} />}
      {problem !== undefined && <ErrorView problem={problem} onRetry={readOlder} />}
      {events.length > 0 && (
        <EventRows
          frame={frame}
          events={events}
          names={names}
          onOpen={setOpen}
          onEnd={() => {
            if (isMore && !isReading && problem === undefined) readOlder();
          }}
        />
      )}
      {events.length === 0 && !isReading && problem === undefined && (
        <p class="empty">
          {Object.values(chosen).some((text) => text !== "") ? texts.nothingFits : ofEvents.none}
        </p>
      )}
      <div class="list-foot">
        <p class="hint" role="status">
          {isReading ? shared.loading : !isMore && events.length > 0 ? ofEvents.end : ""}
        </p>
        <div class="actions">
          {events.length > 0 && <span class="hint">{texts.shown(number(events.length))}</span>}
          {isMore && !isReading && <Button onClick={readOlder}>{ofEvents.older}</Button>}
          {events.length > 0 && (
            <Button look="quiet" onClick={() => frame.current?.scrollTo(0, 0)}>
              {texts.toTop}
            </Button>
          )}
          {events.length > 0 && <EventsCsv query={query} />}
        </div>
      </div>
      {open !== undefined && Details !== undefined && (
        <Details event={open} names={names} onClose={() => setOpen(undefined)} />
      )}
    </div>
  );
}

function LiveMark({
  feed,
}: {
  readonly feed: NonNullable<ReturnType<typeof useEventList>["feed"]>;
}): JSX.Element {
  const texts = useTexts(eventPageTexts);
  const state = useLive(feed);
  return (
    <p class="live">
      <span class={`state ${state === "live" ? "active" : "inactive"}`}>{texts[state]}</span>
    </p>
  );
}

/** The same object as long as nothing else was chosen. */
function useEventQuery(chosen: Chosen, organizationId: string | undefined): EventQuery {
  const { transport } = useApi();
  const within = organizationId ?? (chosen["organization"] === "" ? undefined : chosen["organization"]);
  const client = useClient(EventService, within);
  return useMemo(
    () => ({
      client,
      filter: {
        aggregateType: chosen["kind"] ?? "",
        aggregateId: chosen["id"] ?? "",
        eventType: chosen["type"] ?? "",
        editor: chosen["editor"] ?? "",
        organizationId: within ?? "",
        hasRenewals: chosen["renewals"] === "shown",
      },
      from: startOfDay(chosen["from"] ?? ""),
      until: endOfEventDay(chosen["until"] ?? ""),
    }),
    [transport, client, within, JSON.stringify(chosen)],
  );
}

function useFilters(isOfInstance: boolean): readonly Filter[] {
  const texts = useTexts(eventPageTexts);
  const words = useTexts(eventWords);
  const kinds = useTexts(aggregateWords);
  const optionsOf = (table: Readonly<Record<string, string>>): Filter["options"] =>
    Object.entries(table).map(([value, label]) => ({ value, label }));
  return [
    { name: "kind", label: texts.kind, options: optionsOf(kinds) ?? [] },
    { name: "type", label: texts.type, options: optionsOf(words) ?? [] },
    {
      name: "renewals",
      label: texts.renewals,
      options: [{ value: "shown", label: texts.renewalsShown }],
      otherwise: texts.renewalsHidden,
    },
    { name: "id", label: texts.objectId },
    { name: "editor", label: texts.editor },
    ...(isOfInstance ? [{ name: "organization", label: texts.organization }] : []),
    { name: "from", label: texts.from, type: "date" as const },
    { name: "until", label: texts.until, type: "date" as const },
  ];
}
