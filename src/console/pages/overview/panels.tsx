import type { JSX } from "preact";
import { ActivityPanel } from "./activity/activity-panel.tsx";
import { AttentionPanel } from "./attention/attention-panel.tsx";

/** Props of what is going on. */
export interface PanelsProps {
  /** Absent: in all organizations that the user may read. */
  readonly organizationId: string | undefined;
  /** The organization in which somebody may be about to begin; absent: none. */
  readonly beginnerId: string | undefined;
}

/** What is going on: what needs attention anywhere, and the activity. */
export function Panels(props: PanelsProps): JSX.Element {
  return (
    <>
      {props.organizationId === undefined && <AttentionPanel />}
      <ActivityPanel {...props} />
    </>
  );
}
