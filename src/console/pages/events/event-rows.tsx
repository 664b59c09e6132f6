import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { eventWords, wordFor } from "../../ui/events/event-words.ts";
import { PersonName } from "../../ui/events/person-name.tsx";
import type { Names } from "../../ui/names/use-names.ts";
import { EventSubject } from "./event-subject.tsx";
import { eventPageTexts } from "./texts.ts";
import { visibleRows } from "./visible-rows.ts";

/** Props of the rows of events. */
export interface EventRowsProps {
  /** What scrolls. */
  readonly frame: RefObject<HTMLDivElement | null>;
  /** The newest first. */
  readonly events: readonly Event[];
  readonly names: Names;
  readonly onOpen: (event: Event) => void;
  /** Called when the end comes near. */
  readonly onEnd: () => void;
}

const assumedHeight = 64;

/**
 * A list of any length, of which only the rows are drawn that can be seen. Rows that are in view stay in place when new rows are
 * added above.
 */
export function EventRows({ frame, events, names, onOpen, onEnd }: EventRowsProps): JSX.Element {
  const texts = useTexts(eventPageTexts);
  const rows = useRef<HTMLOListElement>(null);
  const [view, setView] = useState({ scrollTop: 0, height: 0, rowHeight: assumedHeight });
  const first = useRef<bigint>(undefined);
  const { rowHeight } = view;
  const shown = visibleRows({ ...view, count: events.length });

  const look = (): void => {
    const box = frame.current;
    if (box === null) return;
    const measured = rows.current?.querySelector("li")?.offsetHeight ?? 0;
    const height = measured > 0 ? measured : rowHeight;
    setView({ scrollTop: box.scrollTop, height: box.clientHeight, rowHeight: height });
    if (box.scrollTop + 2 * box.clientHeight > box.scrollHeight) onEnd();
  };
  useLayoutEffect(() => {
    const box = frame.current;
    const newest = events[0]?.sequence;
    const added = events.findIndex(({ sequence }) => sequence === first.current);
    first.current = newest;
    // The content security policy allows no style attribute, but these.
    rows.current?.style.setProperty("--height", `${events.length * rowHeight}px`);
    rows.current?.style.setProperty("--offset", `${shown.first * rowHeight}px`);
    if (box !== null && added > 0 && box.scrollTop > 0) box.scrollTop += added * rowHeight;
  }, [events, rowHeight, shown.first]);
  const latestLook = useRef(look);
  latestLook.current = look;
  useLayoutEffect(() => {
    if (frame.current === null) return;
    const observer = new ResizeObserver(() => latestLook.current());
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);

  return (
    <div
      class="event-frame"
      ref={frame}
      onScroll={look}
      tabIndex={0}
      role="region"
      aria-label={texts.listName}
    >
      <ol class="event-rows" ref={rows}>
        {events.slice(shown.first, shown.end).map((event, index) => (
          <EventRow
            key={String(event.sequence)}
            event={event}
            names={names}
            onOpen={onOpen}
            position={shown.first + index + 1}
            count={events.length}
          />
        ))}
      </ol>
    </div>
  );
}

function EventRow({
  event,
  names,
  onOpen,
  position,
  count,
}: Pick<EventRowsProps, "names" | "onOpen"> & {
  readonly event: Event;
  readonly position: number;
  readonly count: number;
}): JSX.Element {
  const words = useTexts(eventWords);
  const { exactDate } = useFormats();
  return (
    <li aria-posinset={position} aria-setsize={count}>
      <button type="button" class="event-what" onClick={() => onOpen(event)}>
        {wordFor(words, event.eventType)}
      </button>
      <span class="event-when hint">{exactDate(event.creationDate)}</span>
      <span class="event-who hint">
        <PersonName id={event.editor} names={names} />
      </span>
      <span class="event-object hint">
        <EventSubject event={event} names={names} />
      </span>
    </li>
  );
}
