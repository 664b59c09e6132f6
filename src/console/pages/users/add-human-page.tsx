import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import { toFieldError } from "../../api/call-problem.ts";
import { SearchService } from "../../../../gen/console/gatehouse/v1/search_service_pb.ts";
import {
  AddHumanUserRequestSchema,
  UserService,
} from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { CheckField, TextField } from "../../ui/form/fields.tsx";
import { ReferenceField } from "../../ui/form/reference-field.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { findApplication } from "../../ui/names/find-object.ts";
import { guessProfile } from "./guessed-profile.ts";
import { userTexts } from "./texts.ts";

/** Adds a person to the organization, by an invitation unless the user wants none, and goes to them. */
export function AddHumanPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(userTexts);
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(UserService);
  const search = useClient(SearchService);
  const find = (text: string) => findApplication(search, text, params.organization);
  const mayInvite = useCan()("user.credential.write");
  const list = toPath("/orgs/:organization/users", params);
  const form = useForm({
    request: AddHumanUserRequestSchema,
    initial: {
      email: "",
      isInvited: mayInvite,
      invite: "",
      username: "",
      givenName: "",
      familyName: "",
      displayName: "",
      preferredLanguage: "",
      phone: "",
    },
    async submit({ isInvited, invite: text, ...values }, key) {
      const application = isInvited && text !== "" ? await find(text) : undefined;
      if (isInvited && text !== "" && application === undefined)
        throw toFieldError("invite", texts.noApplication);
      const invite = isInvited ? { invite: { applicationId: application?.id ?? "" } } : {};
      const { userId } = await client.addHumanUser({ ...values, ...invite }, withKey(key));
      const name = `${values.givenName} ${values.familyName}`;
      notify(isInvited ? texts.invited(name) : texts.added(name));
      go(toPath("/orgs/:organization/users/:user", { ...params, user: userId }), { replaces: true });
    },
  });
  // What somebody has typed stays.
  const guess = guessProfile(form.values.email);
  const former = useRef(guess);
  useEffect(() => {
    for (const name of ["username", "givenName", "familyName"] as const)
      if (form.values[name] === former.current[name] && guess[name] !== former.current[name])
        form.set(name, guess[name]);
    former.current = guess;
  }, [form.values.email]);
  return (
    <PageFrame title={texts.addPerson} parent={{ to: list, title: texts.title }}>
      <FormView form={form} submitText={texts.addPerson} onCancel={() => go(list)}>
        <TextField
          form={form}
          name="email"
          label={texts.email}
          type="email"
          hint={texts.emailHint}
          hasFocus
        />
        {mayInvite && (
          <CheckField form={form} name="isInvited" label={texts.invite} hint={texts.inviteHint} />
        )}
        {form.values.isInvited && (
          <ReferenceField
            form={form}
            name="invite"
            label={texts.inviteTo}
            hint={texts.inviteToHint}
            find={find}
          />
        )}
        <TextField form={form} name="username" label={texts.username} hint={texts.usernameHint} />
        <TextField form={form} name="givenName" label={texts.givenName} />
        <TextField form={form} name="familyName" label={texts.familyName} />
        <TextField form={form} name="displayName" label={texts.displayName} hint={texts.displayNameHint} />
        <TextField form={form} name="preferredLanguage" label={texts.language} hint={texts.languageHint} />
        <TextField form={form} name="phone" label={texts.phone} hint={texts.phoneHint} type="tel" />
      </FormView>
    </PageFrame>
  );
}
