import type { JSX } from "preact";
import { useApi, useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { toEnum } from "../../api/enums.ts";
import { useQuery } from "../../api/use-query.ts";
import {
  ExternalClientKind,
  type ExternalClientSettings,
} from "../../../../gen/console/gatehouse/v1/application_pb.ts";
import {
  ApplicationService,
  UpdateExternalClientSettingsRequestSchema,
} from "../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { Link } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { ChecksField } from "../../ui/form/choice-fields.tsx";
import { LinesField, TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { externalClientTexts } from "./texts.ts";

/** Shows which clients may use the instance that nobody has created, and lets people decide it. */
export function ExternalClientsPage(): JSX.Element {
  const texts = useTexts(externalClientTexts);
  const can = useCan();
  const { permissions } = useApi();
  const client = useClient(ApplicationService);
  const read = async (): Promise<ExternalClientSettings> => {
    const { settings } = await client.getExternalClientSettings({});
    if (settings === undefined) throw new Error("GetExternalClientSettings answered without settings");
    return settings;
  };
  const query = useQuery(read, [client]);
  const mayWrite = permissions.can("project.app.write", {});
  return (
    <PageFrame title={texts.title} lead={texts.lead}>
      <QueryView query={query}>
        {(settings) =>
          mayWrite ? (
            <SettingsForm settings={settings} read={read} onChange={query.reload} />
          ) : (
            <SettingsFacts settings={settings} />
          )
        }
      </QueryView>
      {can("event.read") && (
        <p>
          <Link to="/events?kind=external_clients">{texts.events}</Link>
        </p>
      )}
    </PageFrame>
  );
}

function useKinds() {
  const texts = useTexts(externalClientTexts);
  const { METADATA_DOCUMENT, REGISTRATION } = ExternalClientKind;
  return [
    { value: String(METADATA_DOCUMENT), label: texts.document, hint: texts.documentHint },
    { value: String(REGISTRATION), label: texts.registration, hint: texts.registrationHint },
  ];
}

function SettingsForm({
  settings,
  read,
  onChange,
}: {
  readonly settings: ExternalClientSettings;
  readonly read: () => Promise<ExternalClientSettings>;
  readonly onChange: () => Promise<void>;
}): JSX.Element {
  const texts = useTexts(externalClientTexts);
  const kinds = useKinds();
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const form = useForm<SettingsValues>({
    request: UpdateExternalClientSettingsRequestSchema,
    initial: toValues(settings),
    version: settings.details,
    async submit(values, _key, version) {
      const request = {
        kinds: values.kinds.map((kind) => toEnum(ExternalClientKind, kind)),
        hostPatterns: [...values.hostPatterns],
        projectId: values.projectId.trim(),
      };
      await client.updateExternalClientSettings(request, ifUnchanged(version));
      notify(texts.saved);
      await onChange();
    },
    async readStored() {
      const stored = await read();
      await onChange();
      return { values: toValues(stored), version: stored.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <ChecksField form={form} name="kinds" label={texts.kinds} options={kinds} />
      <TextField form={form} name="projectId" label={texts.projectId} hint={texts.projectIdHint} />
      <LinesField form={form} name="hostPatterns" label={texts.hostPatterns} hint={texts.hostPatternsHint} />
    </FormView>
  );
}

function SettingsFacts({ settings }: { readonly settings: ExternalClientSettings }): JSX.Element {
  const texts = useTexts(externalClientTexts);
  const kinds = useKinds().filter(({ value }) => settings.kinds.map(String).includes(value));
  return (
    <Facts
      facts={[
        { label: texts.kinds, value: kinds.map(({ label }) => label).join(", ") || texts.none },
        { label: texts.projectId, value: settings.projectId },
        { label: texts.hostPatterns, value: settings.hostPatterns.join(", ") || texts.anyHost },
      ]}
    />
  );
}

/** The values of the form: the ways are the texts of their numbers. */
type SettingsValues = {
  readonly kinds: readonly string[];
  readonly hostPatterns: readonly string[];
  readonly projectId: string;
};

function toValues({ kinds, hostPatterns, projectId }: ExternalClientSettings): SettingsValues {
  return { kinds: kinds.map(String), hostPatterns, projectId };
}
