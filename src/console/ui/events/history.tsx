import type { JSX } from "preact";
import { useCan } from "../../api/api.ts";
import { useLater } from "../use-later.ts";
import type { HistoryProps } from "./history-view.tsx";

/**
 * The history of an object, newest first, from its events in the organization of the place. Users without the permission for events
 * see nothing of it. Events of an object that belongs to another one (a role to its project, a token to its user) are part of the
 * history of that other object. Its code is read once the page is painted.
 */
export function History(props: HistoryProps): JSX.Element | null {
  const { aggregate } = props;
  const can = useCan();
  const View = useLater(async () => (await import("./history-view.tsx")).HistoryView, can("event.read"));
  return View === undefined ? null : <View key={`${aggregate} ${props.id ?? ""}`} {...props} />;
}
