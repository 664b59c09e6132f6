import type { JSX } from "preact";
import { useApi, useClient } from "../../api/api.ts";
import { ifUnchanged, withKey } from "../../api/call-options.ts";
import { toFieldError } from "../../api/call-problem.ts";
import { useQuery } from "../../api/use-query.ts";
import type { Membership } from "../../../../gen/console/gatehouse/v1/membership_pb.ts";
import {
  AddMembershipRequestSchema,
  MembershipService,
  UpdateMembershipRequestSchema,
} from "../../../../gen/console/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ChecksField, type Option, SelectField } from "../../ui/form/choice-fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { ReferenceField } from "../../ui/form/reference-field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { findUser } from "../../ui/names/find-object.ts";
import type { NamedObject } from "../../ui/names/named-object.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PeriodFields, usePeriodCheck } from "../../ui/period/period-fields.tsx";
import { readPeriodChange, readPeriodTexts, toPeriodTexts } from "../../ui/period/period.ts";
import { QueryView } from "../../ui/query-view.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { mayWriteRoles, rolesOf, toFilter, toPermissionScope } from "./roles.ts";
import { findChoice, keyOfScope, type ScopeChoice } from "./scope-choice.ts";
import { membershipTexts } from "./texts.ts";

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Adds a membership: of the user or the group, or of a user that is named in the form, on one of the scopes. */
export function AddMembershipDialog(
  props: DialogProps & {
    readonly user: NamedObject | undefined;
    readonly group: NamedObject | undefined;
    loadScopes(): Promise<readonly ScopeChoice[]>;
  },
): JSX.Element {
  const texts = useTexts(membershipTexts);
  const scopes = useQuery(props.loadScopes, []);
  return (
    <Dialog title={texts.add} onClose={props.onClose}>
      <QueryView query={scopes}>
        {(choices) =>
          choices.length === 0 ? <p>{texts.nothingToGive}</p> : <AddForm {...props} choices={choices} />
        }
      </QueryView>
    </Dialog>
  );
}

/** In place of a scope that is no longer offered. */
const none: ScopeChoice = { scope: { case: undefined }, ownerId: undefined, title: "" };

function AddForm({
  user,
  group,
  choices,
  onClose,
  onDone,
}: DialogProps & {
  readonly user: NamedObject | undefined;
  readonly group: NamedObject | undefined;
  readonly choices: readonly ScopeChoice[];
}): JSX.Element {
  const texts = useTexts(membershipTexts);
  const { required } = useTexts(uiTexts).form;
  const notify = useNotify();
  const { user: self, refreshPermissions } = useApi();
  const client = useClient(MembershipService);
  const users = useClient(UserService);
  const checkPeriod = usePeriodCheck();
  const form = useForm({
    request: AddMembershipRequestSchema,
    initial: {
      userId: user?.id ?? "",
      scope: keyOfScope(choices[0]?.scope ?? none.scope),
      roles: [] as readonly string[],
      ...toPeriodTexts({}),
    },
    check: ({ scope, ...period }): Record<string, string> => ({
      ...(findChoice(choices, scope) === undefined ? { scope: required } : {}),
      ...checkPeriod(period),
    }),
    async submit(values, key) {
      const found = user ?? group ?? (await findUser(users, values.userId));
      if (found === undefined) throw toFieldError("userId", texts.userMissing);
      const { scope } = findChoice(choices, values.scope) ?? none;
      const holder = group === undefined ? { userId: found.id } : { groupId: group.id };
      await client.addMembership(
        { ...holder, scope, roles: [...values.roles], ...readPeriodTexts(values) },
        withKey(key),
      );
      notify(texts.added(found.title));
      if (found.id === self.id || group !== undefined) void refreshPermissions();
      onDone();
    },
  });
  const choice = findChoice(choices, form.values.scope);
  return (
    <FormView form={form} submitText={texts.add} onCancel={onClose}>
      {user === undefined && group === undefined && (
        <ReferenceField
          form={form}
          name="userId"
          label={texts.user}
          hint={texts.userHint}
          find={(text) => findUser(users, text)}
          isRequired
          hasFocus
        />
      )}
      {(choices.length > 1 || choice === undefined) && (
        <SelectField
          form={{
            ...form,
            // The roles of one kind of scope are not those of another.
            set: (name, value) => {
              form.set(name, value);
              form.set("roles", []);
            },
          }}
          name="scope"
          label={texts.where}
          options={choices.map(({ scope, title }) => ({ value: keyOfScope(scope), label: title }))}
        />
      )}
      <ChecksField
        form={form}
        name="roles"
        label={texts.roles}
        options={useRoleOptions(choice ?? none, [])}
      />
      <PeriodFields form={form} />
    </FormView>
  );
}

/** Changes the roles and the dates of a membership. */
export function EditMembershipDialog({
  membership,
  name,
  onClose,
  onDone,
}: DialogProps & { readonly membership: Membership; readonly name: string }): JSX.Element {
  const texts = useTexts(membershipTexts);
  const notify = useNotify();
  const client = useClient(MembershipService);
  const { id: membershipId, userId, details, scope } = membership;
  const roles: readonly string[] = membership.roles;
  const checkPeriod = usePeriodCheck();
  const form = useForm({
    request: UpdateMembershipRequestSchema,
    of: membershipId,
    initial: { roles, ...toPeriodTexts(membership) },
    version: details,
    check: (values) => checkPeriod(values),
    async submit({ roles: wanted, ...period }, _key, version) {
      const change = { roles: [...wanted], ...readPeriodChange(period, membership) };
      await client.updateMembership({ membershipId, ...change }, ifUnchanged(version));
      notify(texts.saved(name));
      onDone();
    },
    async readStored() {
      // A user has one membership on a scope.
      const { memberships } = await client.listMemberships({ userId, ...toFilter(scope) });
      const stored = memberships.find(({ id }) => id === membershipId);
      const values = { roles: stored?.roles ?? [], ...toPeriodTexts(stored ?? {}) };
      return { values, version: stored?.details };
    },
  });
  const choice = { scope, ownerId: details?.resourceOwner, title: "" };
  return (
    <Dialog title={texts.editOf(name)} onClose={onClose}>
      <FormView form={form} isChange onCancel={onClose}>
        <ChecksField form={form} name="roles" label={texts.roles} options={useRoleOptions(choice, roles)} />
        <PeriodFields form={form} />
      </FormView>
    </Dialog>
  );
}

/** The roles that the user of the console may give there, and those that the membership has. */
function useRoleOptions({ scope, ownerId }: ScopeChoice, held: readonly string[]): readonly Option[] {
  const texts = useTexts(membershipTexts).role;
  const { permissions } = useApi();
  if (scope.case === undefined) return [];
  const within = toPermissionScope(scope, ownerId);
  const known = rolesOf(scope.case)
    .filter((role) => held.includes(role) || mayWriteRoles(permissions, [role], within))
    .map((role) => ({ value: role, label: texts[role].title, hint: texts[role].hint }));
  const others = held.filter((role) => known.every(({ value }) => value !== role));
  return [...known, ...others.map((role) => ({ value: role, label: role }))];
}
