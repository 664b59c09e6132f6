import type { JSX } from "preact";
import { ActivityPanel } from "./activity/activity-panel.tsx";
import { EndsPanel } from "./ends/ends-panel.tsx";
import { AttentionPanel } from "./attention/attention-panel.tsx";

/** Props of what is going on. */
export interface PanelsProps {
  /** Absent: in all organizations that the user may read. */
  readonly organizationId: string | undefined;
  /** The organization in which somebody may be about to begin; absent: none. */
  readonly beginnerId: string | undefined;
}

/** What the user of the console may read. */
export interface ReadableParts {
  readonly mayReadEvents: boolean;
  readonly mayReadRights: boolean;
}

/** What is going on: what needs attention anywhere, the activity, and what ends soon. */
export function Panels({ mayReadEvents, mayReadRights, ...props }: PanelsProps & ReadableParts): JSX.Element {
  return (
    <>
      {mayReadEvents && props.organizationId === undefined && <AttentionPanel />}
      {mayReadEvents && <ActivityPanel {...props} />}
      {mayReadRights && <EndsPanel organizationId={props.organizationId} />}
    </>
  );
}
