import type { JSX } from "preact";
import { useApi, useCan, useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { useQuery } from "../../api/use-query.ts";
import {
  type Organization,
  OrganizationState,
} from "../../../../gen/console/gatehouse/v1/organization_pb.ts";
import {
  OrganizationService,
  UpdateOrganizationRequestSchema,
} from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { History } from "../../ui/events/history.tsx";
import { ObjectFacts } from "../../ui/facts.tsx";
import { TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { useNotify } from "../../ui/notices.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { StateActions } from "../../ui/state-actions.tsx";
import { organizationTexts } from "./texts.ts";

/** Shows an organization: its name, its state, and its removal. */
export function OrganizationPage({ params }: PageProps<"organization">): JSX.Element {
  const client = useClient(OrganizationService);
  const query = useQuery(async () => {
    const { organization } = await client.getOrganization({ id: params.organization });
    if (organization === undefined) throw new Error("GetOrganization answered without an organization");
    return organization;
  }, [client, params.organization]);
  return (
    <QueryView query={query}>
      {(organization) => (
        <OrganizationView key={organization.id} organization={organization} onChange={query.reload} />
      )}
    </QueryView>
  );
}

interface ViewProps {
  readonly organization: Organization;
  readonly onChange: () => Promise<void>;
}

function OrganizationView({ organization, onChange }: ViewProps): JSX.Element {
  const texts = useTexts(organizationTexts);
  const can = useCan();
  const mayWrite = can("organization.write");
  const isActive = organization.state === OrganizationState.ACTIVE;
  return (
    <PageFrame
      title={organization.name}
      mark={<StateMark state={organization.state} />}
      lead={isActive ? undefined : texts.inactiveLead}
      parent={{ to: "/orgs", title: texts.title }}
      tabs={{ of: ["organization"], params: { organization: organization.id } }}
      actions={mayWrite && <Actions organization={organization} onChange={onChange} />}
    >
      {mayWrite && <NameForm organization={organization} onChange={onChange} />}
      <ObjectFacts id={organization.id} details={organization.details} />
      <History aggregate="organization" id={organization.id} version={organization.details?.sequence} />
    </PageFrame>
  );
}

function NameForm({ organization, onChange }: ViewProps): JSX.Element {
  const texts = useTexts(organizationTexts);
  const notify = useNotify();
  const { refreshPermissions } = useApi();
  const client = useClient(OrganizationService);
  const form = useForm({
    request: UpdateOrganizationRequestSchema,
    initial: { name: organization.name },
    version: organization.details,
    async submit(values, _key, version) {
      await client.updateOrganization({ id: organization.id, ...values }, ifUnchanged(version));
      notify(texts.saved);
      await Promise.all([onChange(), refreshPermissions()]);
    },
    async readStored() {
      const { organization: stored } = await client.getOrganization({ id: organization.id });
      await onChange();
      return { values: { name: stored?.name ?? "" }, version: stored?.details };
    },
  });
  return (
    <FormView form={form} isChange>
      <TextField form={form} name="name" label={texts.name} hint={texts.nameHint} />
    </FormView>
  );
}

function Actions({ organization, onChange }: ViewProps): JSX.Element {
  const { refreshPermissions } = useApi();
  const { go } = useNavigation();
  const client = useClient(OrganizationService);
  const { id, name, details, state } = organization;
  return (
    <StateActions
      item={{ id, name, details }}
      isActive={state === OrganizationState.ACTIVE}
      texts={useTexts(organizationTexts)}
      deactivate={(options) => client.deactivateOrganization({ id }, options)}
      reactivate={(options) => client.reactivateOrganization({ id }, options)}
      remove={(options) => client.removeOrganization({ id }, options)}
      isGrave
      onChange={onChange}
      onRemoved={() => void refreshPermissions().then(() => go("/orgs", { replaces: true }))}
    />
  );
}
