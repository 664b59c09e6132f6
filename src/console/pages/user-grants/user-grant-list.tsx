import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { UserGrantService } from "../../../../gen/console/gatehouse/v1/user_grant_service_pb.ts";
import { toPath } from "../../routing/routes.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import type { Filter } from "../../ui/list/filter-bar.tsx";
import { useBatchRemoval } from "../../ui/batch-removal.ts";
import { List } from "../../ui/list/list.tsx";
import type { Column } from "../../ui/list/list-table.tsx";
import { usePeriodText } from "../../ui/period/period-facts.ts";
import { periodTexts } from "../../ui/period/texts.ts";
import { type Removable, RemovalDialog } from "../../ui/removal-dialog.tsx";
import { StateMark, toObjectState } from "../../ui/state-mark.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { type GrantRow, type GrantSelection, useLoadGrants } from "./grant-rows.ts";
import { userGrantTexts } from "./texts.ts";
import { WhyRoles } from "./why-roles.tsx";

/** Props of a list of user grants. */
export interface UserGrantListProps extends GrantSelection {
  /** Whether the user of the console may remove all that is listed. */
  readonly mayWrite: boolean;
  readonly filters?: readonly Filter[];
  /** Columns beside those of every list of user grants. */
  readonly more?: readonly Column<GrantRow>[];
  readonly name?: string;
  readonly empty: { readonly text: string; readonly action?: ComponentChildren };
  /** Called after a removal. */
  readonly onRemoved?: () => void;
}

/** Lists user grants of the organization, and removes several at once. */
export function UserGrantList(props: UserGrantListProps): JSX.Element {
  const { organizationId, user, projectId, asOf, mayWrite, filters = [], empty, onRemoved } = props;
  const texts = useTexts(userGrantTexts);
  const shared = useTexts(uiTexts);
  const [removal, setRemoval] = useState<{ readonly rows: readonly GrantRow[]; done(): void }>();
  const load = useLoadGrants(props);
  const columns = useColumns(props);
  return (
    <>
      <List
        name={props.name ?? texts.title}
        load={load}
        inputs={[organizationId, user?.id, projectId, asOf]}
        columns={columns}
        filters={filters}
        idOf={({ grant }) => grant.id}
        linkOf={({ grant }) =>
          toPath("/orgs/:organization/user-grants/:user/:grant", {
            organization: organizationId,
            user: grant.userId,
            grant: grant.id,
          })
        }
        bulk={
          mayWrite
            ? [{ label: shared.remove, isDanger: true, run: (rows, done) => setRemoval({ rows, done }) }]
            : []
        }
        empty={{ title: texts.emptyTitle, ...empty }}
      />
      {removal !== undefined && (
        <GrantRemoval
          rows={removal.rows}
          onClose={() => setRemoval(undefined)}
          onRemoved={() => {
            setRemoval(undefined);
            removal.done();
            onRemoved?.();
          }}
        />
      )}
    </>
  );
}

function useColumns({ user, projectId, asOf, more = [] }: UserGrantListProps): readonly Column<GrantRow>[] {
  const texts = useTexts(userGrantTexts);
  const shared = useTexts(uiTexts);
  const periods = useTexts(periodTexts);
  const periodText = usePeriodText();
  const userColumn: Column<GrantRow> = { title: texts.user, text: (row) => row.user.title };
  const projectColumn: Column<GrantRow> = { title: texts.project, text: (row) => row.project };
  return [
    ...(user === undefined ? [userColumn] : []),
    ...(projectId === undefined ? [projectColumn] : []),
    {
      title: texts.roles,
      text: ({ grant }) => (grant.roleKeys.length === 0 ? texts.none : grant.roleKeys.join(", ")),
    },
    {
      title: texts.state,
      text: ({ grant }) => shared[toObjectState(grant.state)],
      render: ({ grant }) => <StateMark state={grant.state} />,
      // Whether a grant is in effect says more.
      isMinor: more.length > 0,
    },
    ...more,
    { title: periods.end, text: ({ grant }) => periodText(grant), isMinor: true },
    {
      title: shared.why,
      text: () => "",
      render: ({ grant }) => <WhyRoles userId={grant.userId} asOf={asOf} of={grant} />,
    },
  ];
}

function GrantRemoval({
  rows,
  onClose,
  onRemoved,
}: {
  readonly rows: readonly GrantRow[];
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const { number } = useFormats();
  const client = useClient(UserGrantService);
  const removeAll = useBatchRemoval<Removable & { readonly userId: string }>(({ id, userId }) => ({
    case: "removeUserGrant",
    value: { userId, grantId: id },
  }));
  return (
    <RemovalDialog
      items={rows.map(({ grant: { id, userId, details }, user, project }) => ({
        id,
        userId,
        details,
        name: texts.nameOf(user.title, project),
      }))}
      several={texts.several(number(rows.length))}
      remove={({ id, userId }, options) => client.removeUserGrant({ userId, grantId: id }, options)}
      removeAll={removeAll}
      onClose={onClose}
      onRemoved={onRemoved}
    />
  );
}
