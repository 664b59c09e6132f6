import type { JSX } from "preact";
import { useApi } from "../../api/api.ts";
import { useLater } from "../../ui/use-later.ts";
import type { Panels, PanelsProps } from "./panels.tsx";

/** What is going on, of which the code and the data are read once the page is painted. A user who may read neither events nor memberships sees nothing. */
export function LaterPanels(props: PanelsProps): JSX.Element | null {
  const { permissions } = useApi();
  const { organizationId } = props;
  const can = (permission: string): boolean =>
    permissions.can(permission, { organization: organizationId }) ||
    (organizationId === undefined &&
      permissions.organizations.some((organization) => permissions.can(permission, { organization })));
  const parts = {
    mayReadEvents: can("event.read"),
    mayReadRights: can("membership.read") || (organizationId !== undefined && can("user.grant.read")),
  };
  const mayRead = parts.mayReadEvents || parts.mayReadRights;
  const Panel = useLater<typeof Panels>(async () => (await import("./panels.tsx")).Panels, mayRead);
  if (!mayRead) return null;
  return Panel === undefined ? (
    <div class="panel activity" aria-hidden="true" />
  ) : (
    <Panel {...props} {...parts} />
  );
}
