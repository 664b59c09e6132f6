import type { JSX } from "preact";
import { useApi } from "../../api/api.ts";
import { useLater } from "../../ui/use-later.ts";
import type { Panels, PanelsProps } from "./panels.tsx";

/** What is going on, of which the code and the data are read once the page is painted. A user who may read no events sees nothing. */
export function LaterPanels(props: PanelsProps): JSX.Element | null {
  const { permissions } = useApi();
  const { organizationId } = props;
  const mayRead =
    permissions.can("event.read", { organization: organizationId }) ||
    (organizationId === undefined &&
      permissions.organizations.some((organization) => permissions.can("event.read", { organization })));
  const Panel = useLater<typeof Panels>(async () => (await import("./panels.tsx")).Panels, mayRead);
  if (!mayRead) return null;
  return Panel === undefined ? <div class="panel activity" aria-hidden="true" /> : <Panel {...props} />;
}
