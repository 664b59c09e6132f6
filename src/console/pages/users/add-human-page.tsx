import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import {
  AddHumanUserRequestSchema,
  UserService,
} from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { userTexts } from "./texts.ts";

/** Adds a person to the organization, and goes to them. */
export function AddHumanPage({ params }: PageProps<"organization">): JSX.Element {
  const texts = useTexts(userTexts);
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(UserService);
  const list = toPath("/orgs/:organization/users", params);
  const form = useForm({
    request: AddHumanUserRequestSchema,
    initial: {
      username: "",
      givenName: "",
      familyName: "",
      email: "",
      displayName: "",
      preferredLanguage: "",
      phone: "",
    },
    async submit(values, key) {
      const { userId } = await client.addHumanUser(values, withKey(key));
      notify(texts.added(`${values.givenName} ${values.familyName}`));
      go(toPath("/orgs/:organization/users/:user", { ...params, user: userId }), { replaces: true });
    },
  });
  return (
    <PageFrame title={texts.addPerson} parent={{ to: list, title: texts.title }}>
      <FormView form={form} submitText={texts.addPerson} onCancel={() => go(list)}>
        <TextField form={form} name="username" label={texts.username} hint={texts.usernameHint} hasFocus />
        <TextField form={form} name="givenName" label={texts.givenName} />
        <TextField form={form} name="familyName" label={texts.familyName} />
        <TextField form={form} name="email" label={texts.email} type="email" />
        <TextField form={form} name="displayName" label={texts.displayName} hint={texts.displayNameHint} />
        <TextField form={form} name="preferredLanguage" label={texts.language} hint={texts.languageHint} />
        <TextField form={form} name="phone" label={texts.phone} hint={texts.phoneHint} type="tel" />
      </FormView>
    </PageFrame>
  );
}
