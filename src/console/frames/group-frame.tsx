import type { ComponentChildren, JSX } from "preact";
import { useClient } from "../api/api.ts";
import { useQuery } from "../api/use-query.ts";
import type { Group } from "../../../gen/console/gatehouse/v1/group_pb.ts";
import { GroupService } from "../../../gen/console/gatehouse/v1/group_service_pb.ts";
import { toPath } from "../routing/routes.ts";
import { useTexts } from "../texts/use-texts.ts";
import { PageFrame } from "../ui/page-frame.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { frameTexts } from "./texts.ts";

/** Props of the frame of a group's pages. */
export interface GroupFrameProps {
  readonly params: { readonly organization: string; readonly group: string };
  /** Buttons for what can be done on this page; `reload` reads the group again. */
  readonly actions?: ((group: Group, reload: () => Promise<void>) => ComponentChildren) | undefined;
  readonly children: (group: Group, reload: () => Promise<void>) => ComponentChildren;
}

/** The frame of every page of one group: its name, its tabs. It reads the group. */
export function GroupFrame({ params, actions, children }: GroupFrameProps): JSX.Element {
  const texts = useTexts(frameTexts);
  const { organization, group: id } = params;
  const client = useClient(GroupService);
  const query = useQuery(async () => {
    const { group } = await client.getGroup({ id });
    if (group === undefined) throw new Error("GetGroup answered without a group");
    return group;
  }, [client, id]);
  return (
    <QueryView query={query}>
      {(group) => (
        <PageFrame
          title={group.name}
          parent={{ to: toPath("/orgs/:organization/groups", { organization }), title: texts.groups }}
          tabs={{ of: ["group"], params }}
          actions={actions?.(group, query.reload)}
        >
          {children(group, query.reload)}
        </PageFrame>
      )}
    </QueryView>
  );
}
