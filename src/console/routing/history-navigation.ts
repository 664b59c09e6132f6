import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Navigation } from "./navigation.tsx";
import { parsePlace, type Place, toPlace, toUrl } from "./routes.ts";

/** Keeps the place in the address bar of the browser, so that its buttons and bookmarks work. */
export function useHistoryNavigation(): Navigation {
  const [place, setPlace] = useState(readPlace);
  const guards = useRef(new Set<() => boolean>());
  const current = useRef(place);
  current.current = place;

  const mayLeave = useCallback(() => [...guards.current].every((ask) => ask()), []);

  useEffect(() => {
    const onPop = (): void => {
      const next = readPlace();
      // A change of the query alone stays on the page, which keeps what was typed.
      if (next.path !== current.current.path && !mayLeave())
        history.pushState(null, "", toUrl(current.current));
      else setPlace(next);
    };
    addEventListener("popstate", onPop);
    return () => removeEventListener("popstate", onPop);
  }, [mayLeave]);

  const go = useCallback<Navigation["go"]>(
    (link, { replaces = false } = {}) => {
      const next = parsePlace(link);
      if (!replaces && next.path !== current.current.path && !mayLeave()) return;
      if (replaces) history.replaceState(null, "", toUrl(next));
      else history.pushState(null, "", toUrl(next));
      if (next.path !== current.current.path) scrollTo(0, 0);
      setPlace(next);
    },
    [mayLeave],
  );

  const guard = useCallback<Navigation["guard"]>((ask) => {
    guards.current.add(ask);
    return () => guards.current.delete(ask);
  }, []);

  return useMemo(() => ({ place, go, guard }), [place, go, guard]);
}

function readPlace(): Place {
  return toPlace(location.pathname, location.search) ?? { path: "/", query: "" };
}
