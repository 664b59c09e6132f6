import type { ComponentChildren, JSX } from "preact";
import { useClient } from "../api/api.ts";
import { useQuery } from "../api/use-query.ts";
import type { User } from "../../../gen/console/gatehouse/v1/user_pb.ts";
import { UserService } from "../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { toPath } from "../routing/routes.ts";
import { useTexts } from "../texts/use-texts.ts";
import { PageFrame } from "../ui/page-frame.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { nameOfUser } from "../ui/user-name.ts";
import { frameTexts } from "./texts.ts";

/** Props of the frame of a user's pages. */
export interface UserFrameProps {
  readonly params: { readonly organization: string; readonly user: string };
  /** Buttons for what can be done on this page; `reload` reads the user again. */
  readonly actions?: ((user: User, reload: () => Promise<void>) => ComponentChildren) | undefined;
  readonly children: (user: User, reload: () => Promise<void>) => ComponentChildren;
}

/** The frame of every page of one user: the name, the state, the tabs of users and of those of this kind. It reads the user. */
export function UserFrame({ params, actions, children }: UserFrameProps): JSX.Element {
  const texts = useTexts(frameTexts);
  const { organization, user: userId } = params;
  const client = useClient(UserService);
  const query = useQuery(async () => {
    const { user } = await client.getUser({ userId });
    if (user === undefined) throw new Error("GetUser answered without a user");
    return user;
  }, [client, userId]);
  return (
    <QueryView query={query}>
      {(user) => (
        <PageFrame
          title={nameOfUser(user)}
          mark={<StateMark state={user.state} />}
          parent={{ to: toPath("/orgs/:organization/users", { organization }), title: texts.users }}
          tabs={{ of: ["user", user.type.case ?? "user"], params }}
          actions={actions?.(user, query.reload)}
        >
          {children(user, query.reload)}
        </PageFrame>
      )}
    </QueryView>
  );
}
