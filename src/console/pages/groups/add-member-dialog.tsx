import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import { toFieldError } from "../../api/call-problem.ts";
import {
  AddGroupMembersRequestSchema,
  GroupService,
} from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { ReferenceField } from "../../ui/form/reference-field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { findGroup, findUser } from "../../ui/names/find-object.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PeriodFields, usePeriodCheck } from "../../ui/period/period-fields.tsx";
import { readPeriodTexts, toPeriodTexts } from "../../ui/period/period.ts";
import { groupTexts } from "./texts.ts";

/** What a member is. */
export type MemberKind = "user" | "group";

/** Makes a user, or another group, that is named in the form a member of the group. */
export function AddMemberDialog({
  kind,
  groupId,
  onClose,
  onDone,
}: {
  readonly kind: MemberKind;
  readonly groupId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const texts = useTexts(groupTexts).members;
  const notify = useNotify();
  const client = useClient(GroupService);
  const users = useClient(UserService);
  const isUser = kind === "user";
  const find = (text: string) => (isUser ? findUser(users, text) : findGroup(client, text));
  const checkPeriod = usePeriodCheck();
  const form = useForm({
    request: AddGroupMembersRequestSchema,
    initial: { member: "", ...toPeriodTexts({}) },
    check: (values) => checkPeriod(values),
    async submit({ member: typed, ...period }, key) {
      const found = await find(typed);
      if (found === undefined) throw toFieldError("member", isUser ? texts.userMissing : texts.groupMissing);
      const members = isUser ? { userIds: [found.id], ...readPeriodTexts(period) } : { groupIds: [found.id] };
      await client.addGroupMembers({ groupId, ...members }, withKey(key));
      notify(texts.added(found.title));
      onDone();
    },
  });
  const title = isUser ? texts.addUser : texts.addGroup;
  return (
    <Dialog title={title} onClose={onClose}>
      <FormView form={form} submitText={title} onCancel={onClose}>
        <ReferenceField
          form={form}
          name="member"
          label={texts[kind]}
          hint={isUser ? texts.userHint : texts.groupHint}
          find={find}
          isRequired
          hasFocus
        />
        {isUser && <PeriodFields form={form} />}
      </FormView>
    </Dialog>
  );
}
