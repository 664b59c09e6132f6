import type { CallOptions } from "@connectrpc/connect";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import type { LabelPolicy } from "../../../../gen/console/gatehouse/v1/label_policy_pb.ts";
import {
  LabelPolicyService,
  UpdateDefaultLabelPolicyRequestSchema,
  UpdateLabelPolicyRequestSchema,
} from "../../../../gen/console/gatehouse/v1/label_policy_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { Link } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { History } from "../../ui/events/history.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
import { BrandingView } from "./branding-view.tsx";
import { brandingTexts } from "./texts.ts";

/** Shows the branding of an organization, or that of the instance as long as it has none. */
export function OrganizationBrandingPage(_props: PageProps<"organization">): JSX.Element {
  const texts = useTexts(brandingTexts);
  const client = useClient(LabelPolicyService);
  const read = async () => requirePolicy((await client.getLabelPolicy({})).policy);
  const query = useQuery(read, [client]);
  return (
    <PageFrame title={texts.title} lead={texts.leadOrganization}>
      <QueryView query={query}>
        {(policy) => (
          <>
            <BrandingView
              request={UpdateLabelPolicyRequestSchema}
              policy={policy}
              isInherited={policy.draft === undefined}
              read={read}
              onChange={query.reload}
              calls={{
                update: (request, options) => client.updateLabelPolicy(request, options),
                setImage: (request) => client.setLabelPolicyImage(request),
                activate: (options) => client.activateLabelPolicy({}, options),
              }}
            />
            {policy.draft !== undefined && (
              <ResetPanel
                policy={policy}
                reset={(options) => client.resetLabelPolicy({}, options)}
                onChange={query.reload}
              />
            )}
          </>
        )}
      </QueryView>
      <History aggregate="label_policy" version={query.data} />
    </PageFrame>
  );
}

/** Shows the branding of the instance, which is in force wherever there is no other. */
export function DefaultBrandingPage(): JSX.Element {
  const texts = useTexts(brandingTexts);
  const can = useCan();
  const client = useClient(LabelPolicyService);
  const read = async () => requirePolicy((await client.getDefaultLabelPolicy({})).policy);
  const query = useQuery(read, [client]);
  return (
    <PageFrame title={texts.title} lead={texts.leadInstance}>
      <QueryView query={query}>
        {(policy) => (
          <BrandingView
            request={UpdateDefaultLabelPolicyRequestSchema}
            policy={policy}
            isInherited={false}
            isOfInstance
            read={read}
            onChange={query.reload}
            calls={{
              update: (request, options) => client.updateDefaultLabelPolicy(request, options),
              setImage: (request) => client.setDefaultLabelPolicyImage(request),
              activate: (options) => client.activateDefaultLabelPolicy({}, options),
            }}
          />
        )}
      </QueryView>
      {can("event.read") && (
        <p>
          <Link to="/events?kind=label_policy">{texts.events}</Link>
        </p>
      )}
    </PageFrame>
  );
}

function requirePolicy(policy: LabelPolicy | undefined): LabelPolicy {
  if (policy === undefined) throw new Error("the answer has no branding");
  return policy;
}

function ResetPanel({
  policy,
  reset,
  onChange,
}: {
  readonly policy: LabelPolicy;
  reset(options: CallOptions): ReturnType<Parameters<typeof RemovalDialog>[0]["remove"]>;
  readonly onChange: () => Promise<void>;
}): JSX.Element | null {
  const texts = useTexts(brandingTexts);
  const mayWrite = useCan()("policy.write");
  const [isOpen, setIsOpen] = useState(false);
  if (!mayWrite) return null;
  return (
    <section class="panel">
      <h2>{texts.reset}</h2>
      <p>{texts.resetText}</p>
      <div class="actions">
        <Button look="danger" onClick={() => setIsOpen(true)}>
          {texts.reset}
        </Button>
      </div>
      {isOpen && (
        <RemovalDialog
          items={[{ id: "label_policy", name: texts.ownName, details: policy.details }]}
          remove={(_item, options) => reset(options)}
          onClose={() => setIsOpen(false)}
          onChanged={onChange}
          onRemoved={() => {
            setIsOpen(false);
            void onChange();
          }}
        />
      )}
    </section>
  );
}
