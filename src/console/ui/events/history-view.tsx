import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { type CallProblem, readProblem } from "../../api/call-problem.ts";
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import { EventService } from "../../../../gen/console/gatehouse/v1/event_service_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import { ErrorView } from "../error-view.tsx";
import { useNames } from "../names/use-names.ts";
import { uiTexts } from "../texts.ts";
import { EventDialog } from "./event-dialog.tsx";
import { eventWords, wordFor } from "./event-words.ts";
import { readNewest } from "./newest-events.ts";
import { PersonName } from "./person-name.tsx";
import { eventTexts } from "./texts.ts";

/** Props of an object's history. */
export interface HistoryProps {
  /** The kind of the object, as events name it: `project`, `user_grant`. */
  readonly aggregate: string;
  /** Absent for an object that an organization has only one of, such as its login policy. */
  readonly id?: string;
  /** What tells the component to read again, such as the sequence of the object. */
  readonly version?: unknown;
}

interface Shown {
  readonly events: readonly Event[];
  /** It goes on before this sequence; undefined: there are no more. */
  readonly next: bigint | undefined;
}

const wanted = 25;

/** What `History` shows, once its code is there. */
export function HistoryView({ aggregate, id, version }: HistoryProps): JSX.Element {
  const texts = useTexts(eventTexts);
  const shared = useTexts(uiTexts);
  const words = useTexts(eventWords);
  const { exactDate } = useFormats();
  const names = useNames();
  const client = useClient(EventService);
  const [shown, setShown] = useState<Shown>({ events: [], next: undefined });
  const [problem, setProblem] = useState<CallProblem>();
  const [isReading, setIsReading] = useState(true);
  const [open, setOpen] = useState<Event>();
  const latest = useRef(0);
  const read = async (from: Shown): Promise<void> => {
    latest.current += 1;
    const own = latest.current;
    setIsReading(true);
    setProblem(undefined);
    const filters = { aggregateType: aggregate, ...(id === undefined ? {} : { aggregateId: id }) };
    try {
      const { events, next } = await readNewest((request) => client.listEvents({ ...filters, ...request }), {
        wanted,
        before: from.next ?? 0n,
      });
      if (own === latest.current) setShown({ events: [...from.events, ...events], next });
    } catch (error) {
      if (own === latest.current) setProblem(readProblem(error));
    }
    if (own === latest.current) setIsReading(false);
  };
  useEffect(() => {
    void read({ events: [], next: undefined });
    return () => {
      latest.current += 1;
    };
  }, [client, version]);
  const { events, next } = shown;
  const isMore = next !== undefined;
  return (
    <section class="panel" aria-labelledby="history-title">
      <h2 id="history-title">{texts.history}</h2>
      <p class="hint">{texts.historyOf}</p>
      {problem !== undefined && <ErrorView problem={problem} onRetry={() => void read(shown)} />}
      <ol class="history">
        {events.map((event) => (
          <li key={String(event.sequence)}>
            <span class="hint">{exactDate(event.creationDate)}</span>
            <span>
              <strong>{wordFor(words, event.eventType)}</strong>{" "}
              <span class="hint">
                <PersonName id={event.editor} names={names} isLink />
              </span>
            </span>
            <Button
              look="quiet"
              label={texts.detailsOf(wordFor(words, event.eventType), exactDate(event.creationDate))}
              onClick={() => setOpen(event)}
            >
              {texts.details}
            </Button>
          </li>
        ))}
      </ol>
      {isReading && (
        <p class="hint" role="status">
          {shared.loading}
        </p>
      )}
      {!isReading && !isMore && problem === undefined && (
        <p class="hint">{events.length === 0 ? texts.none : texts.end}</p>
      )}
      {!isReading && isMore && <Button onClick={() => void read(shown)}>{texts.older}</Button>}
      {open !== undefined && <EventDialog event={open} names={names} onClose={() => setOpen(undefined)} />}
    </section>
  );
}
