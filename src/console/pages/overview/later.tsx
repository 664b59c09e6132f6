import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApi } from "../../api/api.ts";
import type { Panels, PanelsProps } from "./panels.tsx";

/** What is going on, of which the code and the data are read once the page is painted. A user who may read no events sees nothing. */
export function LaterPanels(props: PanelsProps): JSX.Element | null {
  const { permissions } = useApi();
  const { organizationId } = props;
  const mayRead =
    permissions.can("event.read", { organization: organizationId }) ||
    (organizationId === undefined &&
      permissions.organizations.some((organization) => permissions.can("event.read", { organization })));
  const [Panel, setPanel] = useState<typeof Panels>();
  useEffect(() => {
    if (!mayRead) return;
    let isWanted = true;
    const frame = requestAnimationFrame(() => {
      // What cannot be loaded is left out: the page says enough without it.
      void import("./panels.tsx").then(
        ({ Panels: loaded }) => isWanted && setPanel(() => loaded),
        () => {},
      );
    });
    return () => {
      isWanted = false;
      cancelAnimationFrame(frame);
    };
  }, [mayRead]);
  if (!mayRead) return null;
  return Panel === undefined ? <div class="panel activity" aria-hidden="true" /> : <Panel {...props} />;
}
