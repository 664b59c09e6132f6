import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApi } from "../../api/api.ts";
import type { ActivityPanel } from "./activity/activity-panel.tsx";

type PanelProps = Parameters<typeof ActivityPanel>[0];

/** The activity, whose code and numbers are read once the page is painted. A user who may read no events sees nothing. */
export function LaterActivity(props: PanelProps): JSX.Element | null {
  const { permissions } = useApi();
  const { organizationId } = props;
  const mayRead =
    permissions.can("event.read", { organization: organizationId }) ||
    (organizationId === undefined &&
      permissions.organizations.some((organization) => permissions.can("event.read", { organization })));
  const [Panel, setPanel] = useState<typeof ActivityPanel>();
  useEffect(() => {
    if (!mayRead) return;
    let isWanted = true;
    const frame = requestAnimationFrame(() => {
      // What cannot be loaded is left out: the page says enough without it.
      void import("./activity/activity-panel.tsx").then(
        ({ ActivityPanel: loaded }) => isWanted && setPanel(() => loaded),
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
