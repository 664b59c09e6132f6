import type { JSX } from "preact";
import { useApi, useClient } from "../../../api/api.ts";
import { ifUnchanged } from "../../../api/call-options.ts";
import {
  ApiAuthMethodType,
  type ApiConfig,
  ApiResourceState,
} from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import {
  ApplicationService,
  UpdateApiConfigRequestSchema,
} from "../../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ActionButton } from "../../../ui/action-button.tsx";
import { Code } from "../../../ui/copy-button.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { FormView } from "../../../ui/form/form-view.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { useKeysPanel } from "../keys/use-keys-panel.ts";
import { SecretPanel } from "../shared/secret-panel.tsx";
import { applicationTexts } from "../shared/texts.ts";
import type { ApplicationViewProps } from "../shared/view-props.ts";
import { ApiFields, useScopeCheck } from "./api-fields.tsx";
import { apiTexts } from "./api-texts.ts";
import { type ApiValues, toApiRequest, toApiValues } from "./api-values.ts";

/** Props of the view of an API application. */
export interface ApiViewProps extends ApplicationViewProps {
  readonly api: ApiConfig;
}

/** Shows what belongs to an API application: addresses, how it authenticates, secret and keys. */
export function ApiView(props: ApiViewProps): JSX.Element {
  const { api, mayWrite } = props;
  const shared = useTexts(applicationTexts);
  const texts = useTexts(apiTexts);
  const usesKeys = api.authMethodType === ApiAuthMethodType.PRIVATE_KEY_JWT;
  const Keys = useKeysPanel(usesKeys);
  const introspection = `${location.origin}/oauth/v2/introspect`;
  return (
    <>
      <section class="panel addresses">
        <h2>{shared.connect}</h2>
        <Facts
          facts={[
            { label: shared.clientId, value: <Code text={api.clientId} label={shared.clientId} /> },
            {
              label: shared.introspection,
              value: <Code text={introspection} label={shared.introspection} />,
            },
            {
              label: texts.authMethodType,
              value: mayWrite ? undefined : texts.methods[usesKeys ? "2" : "1"],
            },
            { label: texts.resource, value: mayWrite ? undefined : api.resource },
            { label: texts.resourceState, value: <ResourceState {...props} /> },
            {
              label: texts.scopes,
              value: mayWrite ? undefined : api.scopes.map(({ name }) => name).join(", "),
            },
          ]}
        />
      </section>
      {mayWrite && <ApiForm {...props} />}
      {mayWrite && !usesKeys && <SecretPanel {...props} />}
      {usesKeys && Keys !== undefined && <Keys {...props} />}
    </>
  );
}

/** The state, and what asks the API again while it waits: a call that changes nothing else. */
function ResourceState({ params, application, api, mayWrite, onChange }: ApiViewProps): JSX.Element {
  const texts = useTexts(apiTexts);
  const client = useClient(ApplicationService);
  const { resourceState } = api;
  const states: Readonly<Record<string, string>> = texts.states;
  const hints: Readonly<Record<string, string>> = texts.stateHints;
  const key = String(resourceState);
  const isPending = resourceState === ApiResourceState.PENDING;
  const mark = isPending ? "locked" : "active";
  const asStored = {
    projectId: params.project,
    appId: application.id,
    ...toApiRequest(toApiValues(api)),
  };
  return (
    <>
      <span class={`state ${mark}`}>{states[key]}</span> <span class="hint">{hints[key]}</span>
      {isPending && mayWrite && (
        <ActionButton
          run={() => client.updateApiConfig(asStored, ifUnchanged(application.details))}
          done={texts.checkedAgain}
          onDone={onChange}
        >
          {texts.checkAgain}
        </ActionButton>
      )}
    </>
  );
}

function ApiForm({ params, application, api, onChange, readStored }: ApiViewProps): JSX.Element {
  const shared = useTexts(applicationTexts);
  const texts = useTexts(apiTexts);
  const { permissions } = useApi();
  const notify = useNotify();
  const client = useClient(ApplicationService);
  const form = useForm<ApiValues>({
    request: UpdateApiConfigRequestSchema,
    initial: toApiValues(api),
    check: useScopeCheck(),
    version: application.details,
    async submit(values, _key, version) {
      const request = { projectId: params.project, appId: application.id, ...toApiRequest(values) };
      await client.updateApiConfig(request, ifUnchanged(version));
      notify(shared.saved);
      await onChange();
    },
    async readStored() {
      const { config, details } = await readStored();
      return { values: toApiValues(config.case === "api" ? config.value : api), version: details };
    },
  });
  const { BASIC, PRIVATE_KEY_JWT } = ApiAuthMethodType;
  const secretEnds = api.authMethodType === BASIC && form.values.authMethodType === String(PRIVATE_KEY_JWT);
  return (
    <FormView form={form} isChange>
      <ApiFields form={form} mayVerify={permissions.can("project.app.write", {})} />
      {secretEnds && <p role="status">{texts.secretEnds}</p>}
    </FormView>
  );
}
