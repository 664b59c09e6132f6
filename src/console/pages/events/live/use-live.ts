import { createClient } from "@connectrpc/connect";
import { useEffect, useState } from "preact/hooks";
import { useApi } from "../../../api/api.ts";
import { EventService } from "../../../../../gen/console/gatehouse/v1/event_service_pb.ts";
import type { Feed } from "./feed.ts";
import { followEvents, type LiveState } from "./watch.ts";

/** Follows the events while the page can be seen; undefined: none are followed. Returns how it does. */
export function useLive(feed: Feed | undefined): LiveState {
  const { transport, user } = useApi();
  const [state, setState] = useState<LiveState>("connecting");
  useEffect(() => {
    if (feed === undefined) return;
    const port = {
      name: `gatehouse.events.${user.id}`,
      client: createClient(EventService, transport(undefined)),
      feed,
      onState: setState,
    };
    let seen: AbortController | undefined;
    const follow = (): void => {
      seen?.abort();
      seen = undefined;
      if (document.visibilityState === "hidden") return;
      seen = new AbortController();
      void followEvents(port, seen.signal);
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      seen?.abort();
    };
  }, [feed, transport, user.id]);
  return state;
}
