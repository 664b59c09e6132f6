import { fromBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { type Api, ApiContext } from "../api/api.ts";
import { askBeforeForce } from "../api/force.ts";
import { type HeldPermissions, toHeldPermissions } from "../api/permissions.ts";
import { createTransport } from "../api/transport.ts";
import { DirectoryContext, useDirectory } from "../api/use-organizations.ts";
import { useQuery } from "../api/use-query.ts";
import {
  GetMyPermissionsResponseSchema,
  MembershipService,
} from "../../../gen/console/gatehouse/v1/membership_service_pb.ts";
import { type User, UserSchema } from "../../../gen/console/gatehouse/v1/user_pb.ts";
import { WhyContext } from "../ui/why-context.ts";
import { WhyDenied } from "../ui/why/why-denied.tsx";
import { useNavigation } from "../routing/navigation.tsx";
import { usePages } from "../routing/page-list.ts";
import { matchRoute } from "../routing/routes.ts";
import type { Session } from "../session/browser-session.ts";
import { QueryView } from "../ui/query-view.tsx";
import { useLockOutDialog } from "./lock-out-dialog.tsx";
import { PageOutlet } from "./page-outlet.tsx";
import { Shell } from "./shell.tsx";

/** The signed-in user and the user's permissions. */
interface Self {
  readonly user: User;
  readonly permissions: HeldPermissions;
}

/** The frame of the pages, for a signed-in user. */
export function House({ session }: { readonly session: Session }): JSX.Element {
  const { path, query } = useNavigation().place;
  useEffect(() => session.renewIfShort(), [session, path, query]);
  const isFirst = useRef(true);
  const self = useQuery<Self>(() => {
    const answer = readSelf(session, isFirst.current);
    isFirst.current = false;
    return answer;
  }, [session]);
  if (self.data !== undefined) return <Rooms session={session} self={self.data} onRefresh={self.reload} />;
  return (
    <main class="card">
      <QueryView query={self}>{() => null}</QueryView>
    </main>
  );
}

/** Reads what came with the tokens, the first time. The messages of all calls for users are many bytes, so they come when needed. */
async function readSelf({ caller, first }: Session, isFirst: boolean): Promise<Self> {
  if (isFirst && first !== undefined) {
    const { scopes } = fromBinary(GetMyPermissionsResponseSchema, first.permissions);
    return { user: fromBinary(UserSchema, first.user), permissions: toHeldPermissions(scopes) };
  }
  const transport = createTransport(caller, undefined);
  const { UserService } = await import("../../../gen/console/gatehouse/v1/user_service_pb.ts");
  const [{ user }, { scopes }] = await Promise.all([
    createClient(UserService, transport).getMyUser({}),
    createClient(MembershipService, transport).getMyPermissions({}),
  ]);
  if (user === undefined) throw new Error("GetMyUser answered without a user");
  return { user, permissions: toHeldPermissions(scopes) };
}

function Rooms({
  session,
  self,
  onRefresh,
}: {
  readonly session: Session;
  readonly self: Self;
  readonly onRefresh: () => Promise<void>;
}): JSX.Element {
  const { path } = useNavigation().place;
  const pages = usePages();
  const match = useMemo(() => matchRoute(pages, path), [pages, path]);
  const organizationId = match?.params["organization"];
  const { ask, dialog } = useLockOutDialog();
  // Only a user who may give roles on the instance holds all that it takes to force something.
  const mayForce = self.permissions.can("membership.write", {});
  const transport = useCallback(
    (id: string | undefined) => askBeforeForce(createTransport(session.caller, id), { ask, mayForce }),
    [session, ask, mayForce],
  );
  const api = useMemo<Api>(
    () => ({ ...self, transport, organizationId, refreshPermissions: onRefresh }),
    [self, transport, organizationId, onRefresh, session],
  );
  return (
    <ApiContext.Provider value={api}>
      <DirectoryContext.Provider value={useDirectory(api)}>
        <WhyContext.Provider value={WhyDenied}>
          <Shell current={match?.route} onSignOut={() => session.signOut()}>
            <PageOutlet match={match} key={path} />
          </Shell>
          {dialog}
        </WhyContext.Provider>
      </DirectoryContext.Provider>
    </ApiContext.Provider>
  );
}
