import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useApi, useClient } from "../../api/api.ts";
import type { Membership } from "../../../../gen/console/gatehouse/v1/membership_pb.ts";
import { MembershipService } from "../../../../gen/console/gatehouse/v1/membership_service_pb.ts";
import { Link } from "../../routing/navigation.tsx";
import { toPath } from "../../routing/routes.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import type { Filter } from "../../ui/list/filter-bar.tsx";
import { List } from "../../ui/list/list.tsx";
import type { NamedObject } from "../../ui/names/named-object.ts";
import { type Names, useNames } from "../../ui/names/use-names.ts";
import { usePeriodText } from "../../ui/period/period-facts.ts";
import { periodTexts } from "../../ui/period/texts.ts";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { useLater } from "../../ui/use-later.ts";
import { type MembershipScope, mayWriteRoles, toFilter, toPermissionScope } from "./roles.ts";
import type { ScopeChoice } from "./scope-choice.ts";
import { type NamedScope, useScopeNames } from "./scope-names.ts";
import { membershipTexts, titleOfRole } from "./texts.ts";
import { WhyMembership } from "./why-membership.tsx";

/** What a list of memberships shows: those on a scope, those of a user or of a group, or all, as the user of the console chooses. */
export interface MembershipListProps {
  readonly scope?: MembershipScope;
  readonly user?: NamedObject;
  /** Instead of a user. */
  readonly group?: NamedObject;
  readonly filters?: readonly Filter[];
  readonly adding: Adding;
}

/** How memberships are added on a page. */
export interface Adding {
  /** The button for it; false: the user of the console may add none. */
  readonly button: JSX.Element | false;
  /** Where memberships can be added from here, while the dialog is open. */
  readonly loadScopes: (() => Promise<readonly ScopeChoice[]>) | undefined;
  close(): void;
}

/** Returns how memberships are added on the scopes that are read when somebody wants to; undefined: they are not. */
export function useAdding(loadScopes: (() => Promise<readonly ScopeChoice[]>) | undefined): Adding {
  const texts = useTexts(membershipTexts);
  const [isOpen, setIsOpen] = useState(false);
  return {
    button: loadScopes !== undefined && (
      <Button look="first" onClick={() => setIsOpen(true)}>
        {texts.add}
      </Button>
    ),
    loadScopes: isOpen ? loadScopes : undefined,
    close: () => setIsOpen(false),
  };
}

interface Row {
  readonly membership: Membership;
  /** The user or the group. */
  readonly holder: NamedObject;
  readonly scope: NamedScope;
}

interface Open {
  readonly kind: "edit" | "remove";
  readonly row: Row;
}

/** Lists memberships; adds them, changes their roles and removes them. */
export function MembershipList(props: MembershipListProps): JSX.Element {
  const { scope = { case: undefined }, user, group, filters = [], adding } = props;
  const texts = useTexts(membershipTexts);
  const load = useLoad(scope, { user, group });
  const columns = useColumns(props);
  const [open, setOpen] = useState<Open>();
  const [version, setVersion] = useState(0);
  const dialogs = useDialogs();
  const close = (): void => {
    setOpen(undefined);
    adding.close();
  };
  const done = (): void => {
    close();
    setVersion(version + 1);
  };
  return (
    <>
      <List
        name={texts.title}
        load={load}
        inputs={[version, scope.case, scope.value, user?.id, group?.id]}
        columns={columns}
        filters={filters}
        idOf={({ membership }) => membership.id}
        rowActions={(row) => <RowActions row={row} onOpen={setOpen} />}
        empty={{
          title: texts.emptyTitle,
          text:
            user === undefined
              ? group === undefined
                ? texts.emptyText
                : texts.emptyGroupText
              : texts.emptyUserText,
          action: adding.button,
        }}
      />
      {adding.loadScopes !== undefined && dialogs !== undefined && (
        <dialogs.AddMembershipDialog
          user={user}
          group={group}
          loadScopes={adding.loadScopes}
          onClose={close}
          onDone={done}
        />
      )}
      {open !== undefined && <OpenDialog open={open} onClose={close} onDone={done} />}
    </>
  );
}

function useLoad(
  scope: MembershipScope,
  { user, group }: { readonly user: NamedObject | undefined; readonly group: NamedObject | undefined },
) {
  const client = useClient(MembershipService);
  const names = useNames();
  const nameScope = useScopeNames();
  return async ({
    filters,
    ...page
  }: {
    readonly pageSize: number;
    readonly pageToken: string;
    readonly countTotal: boolean;
    readonly filters: Readonly<Record<string, string>>;
  }) => {
    const typed = filters["user"] ?? "";
    const chosen = user ?? (typed === "" ? undefined : await names.typedUser(typed));
    const answer = await client.listMemberships({
      ...page,
      ...toFilter(scope),
      ...(filters["on"] === "instance" ? { instance: true } : {}),
      // A user who is not found may hold memberships; the API finds those by the id.
      userId: chosen?.id ?? typed,
      groupId: group?.id ?? "",
    });
    const rows = answer.memberships.map(
      async (membership): Promise<Row> => ({
        membership,
        holder: user ?? group ?? (await nameHolder(names, membership)),
        scope: await nameScope(membership),
      }),
    );
    return { ...answer, rows: await Promise.all(rows) };
  };
}

function nameHolder(names: Names, { userId, groupId }: Membership): Promise<NamedObject> {
  return groupId === "" ? names.user(userId) : names.group(groupId);
}

function useColumns({ scope, user, group }: MembershipListProps) {
  const texts = useTexts(membershipTexts);
  const { date } = useFormats();
  const periods = useTexts(periodTexts);
  const periodText = usePeriodText();
  const holderColumn = {
    title: texts.holder,
    text: (row: Row) => row.holder.title,
    render: (row: Row) => <HolderLink row={row} />,
  };
  const scopeColumn = {
    title: texts.where,
    text: (row: Row) => row.scope.title,
    render: ({ scope: { title, to } }: Row) => (to === undefined ? title : <Link to={to}>{title}</Link>),
  };
  const roles = (row: Row): string => row.membership.roles.map((role) => titleOfRole(texts, role)).join(", ");
  return [
    ...(user === undefined && group === undefined ? [holderColumn] : []),
    ...(scope === undefined ? [scopeColumn] : []),
    { title: texts.roles, text: roles },
    { title: periods.end, text: (row: Row) => periodText(row.membership), isMinor: true },
    {
      title: texts.changed,
      text: (row: Row) => date(row.membership.details?.changeDate),
      isMinor: true,
    },
  ];
}

function HolderLink({ row: { holder, membership } }: { readonly row: Row }): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { id, title, organizationId: organization } = holder;
  const isGroup = membership.groupId !== "";
  const name = isGroup ? texts.groupNamed(title) : title;
  if (organization === undefined) return <>{name}</>;
  const to = isGroup
    ? toPath("/orgs/:organization/groups/:group/memberships", { organization, group: id })
    : toPath("/orgs/:organization/users/:user/memberships", { organization, user: id });
  return <Link to={to}>{name}</Link>;
}

/** Only users with all permissions of the roles may change or remove them, and only users that may read events see the history. */
function RowActions({
  row,
  onOpen,
}: {
  readonly row: Row;
  readonly onOpen: (open: Open) => void;
}): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { permissions } = useApi();
  const { id, roles, scope, details } = row.membership;
  const organization = scope.case === "instance" ? undefined : details?.resourceOwner;
  const events =
    organization === undefined ? "/events" : toPath("/orgs/:organization/events", { organization });
  const name = row.holder.title;
  const asked = (
    <>
      <WhyMembership of={row.membership} />
      {permissions.can("event.read", { organization }) && (
        <Link to={`${events}?id=${id}`} class="button quiet">
          {texts.history}
          <span class="hidden">: {texts.membershipOf(name)}</span>
        </Link>
      )}
    </>
  );
  if (!mayWriteRoles(permissions, roles, toPermissionScope(scope, details?.resourceOwner))) return asked;
  return (
    <>
      {asked}
      <Button look="quiet" label={texts.editOf(name)} onClick={() => onOpen({ kind: "edit", row })}>
        {texts.edit}
      </Button>
      <Button look="quiet" label={texts.removeOf(name)} onClick={() => onOpen({ kind: "remove", row })}>
        {texts.remove}
      </Button>
    </>
  );
}

/** Their code is read once the list is painted. */
function useDialogs() {
  return useLater(async () => await import("./membership-dialogs.tsx"), true);
}

function OpenDialog({
  open,
  onClose,
  onDone,
}: {
  readonly open: Open;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { user: self, refreshPermissions } = useApi();
  const client = useClient(MembershipService);
  const { membership, holder } = open.row;
  const dialogs = useDialogs();
  const done = (): void => {
    // The user of the console may be in the group.
    if (membership.userId === self.id || membership.groupId !== "") void refreshPermissions();
    onDone();
  };
  if (open.kind === "edit") {
    const Edit = dialogs?.EditMembershipDialog;
    if (Edit === undefined) return <></>;
    return <Edit membership={membership} name={holder.title} onClose={onClose} onDone={done} />;
  }
  const { id, details } = membership;
  return (
    <RemovalDialog
      items={[{ id, details, name: texts.membershipOf(holder.title) }]}
      remove={(item, options) => client.removeMembership({ membershipId: item.id }, options)}
      onClose={onClose}
      onRemoved={done}
    />
  );
}
