import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import type { User } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import {
  UpdateHumanUserRequestSchema,
  UpdateServiceUserRequestSchema,
  UserService,
} from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { fromServiceProfile, ServiceFields, toServiceProfile } from "./service-fields.tsx";
import { userTexts } from "./texts.ts";

interface ProfileFormProps {
  readonly user: User;
  readonly onChange: () => Promise<void>;
}

/** Changes the profile of a person. The email has a panel of its own. */
export function HumanForm({ user, onChange }: ProfileFormProps): JSX.Element {
  const texts = useTexts(userTexts);
  const notify = useNotify();
  const client = useClient(UserService);
  const form = useForm({
    request: UpdateHumanUserRequestSchema,
    initial: toHumanProfile(user),
    version: user.details,
    async submit(values, _key, version) {
      const email = user.type.case === "human" ? user.type.value.email : "";
      await client.updateHumanUser({ userId: user.id, email, ...values }, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { user: stored } = await client.getUser({ userId: user.id });
      await onChange();
      return { values: toHumanProfile(stored), version: stored?.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <h2>{texts.profile}</h2>
      <TextField form={form} name="username" label={texts.username} hint={texts.usernameHint} />
      <TextField form={form} name="givenName" label={texts.givenName} />
      <TextField form={form} name="familyName" label={texts.familyName} />
      <TextField form={form} name="displayName" label={texts.displayName} hint={texts.displayNameHint} />
      <TextField form={form} name="preferredLanguage" label={texts.language} hint={texts.languageHint} />
    </FormView>
  );
}

function toHumanProfile(user: User | undefined): {
  readonly username: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly displayName: string;
  readonly preferredLanguage: string;
} {
  const human = user?.type.case === "human" ? user.type.value : undefined;
  return {
    username: user?.username ?? "",
    givenName: human?.givenName ?? "",
    familyName: human?.familyName ?? "",
    displayName: human?.displayName ?? "",
    preferredLanguage: human?.preferredLanguage ?? "",
  };
}

/** Changes the profile of a service user. */
export function ServiceForm({ user, onChange }: ProfileFormProps): JSX.Element {
  const texts = useTexts(userTexts);
  const notify = useNotify();
  const client = useClient(UserService);
  const form = useForm({
    request: UpdateServiceUserRequestSchema,
    initial: toServiceProfile(user),
    version: user.details,
    async submit(values, _key, version) {
      await client.updateServiceUser(
        { userId: user.id, ...fromServiceProfile(values) },
        ifUnchanged(version),
      );
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const { user: stored } = await client.getUser({ userId: user.id });
      await onChange();
      return { values: toServiceProfile(stored), version: stored?.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <h2>{texts.profile}</h2>
      <ServiceFields form={form} />
    </FormView>
  );
}
