import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApplicationService } from "../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import {
  ClaimMappingService,
  type ClaimPreview,
  PreviewClaimsRequestSchema,
} from "../../../../gen/console/gatehouse/v1/claim_mapping_service_pb.ts";
import { useCan, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { LinesField, TextField } from "../../ui/form/fields.tsx";
import { FormView } from "../../ui/form/form-view.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { ClaimsView } from "./claims-view.tsx";
import { HookClaimPanel } from "./hook-claim.tsx";
import { claimTexts } from "./texts.ts";

/** The claims of all applications of a project. */
export function ProjectClaimsPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const client = useClient(ClaimMappingService);
  const projectId = params.project;
  const mayWrite = useCan()("project.write", { project: projectId });
  return (
    <ProjectFrame params={params}>
      {() => (
        <ClaimsView
          mayWrite={mayWrite}
          calls={{
            get: async () => (await client.getProjectClaimMappings({ projectId })).claimMappings,
            set: (mappings, options) => client.setProjectClaimMappings({ projectId, mappings }, options),
          }}
        />
      )}
    </ProjectFrame>
  );
}

/** The claims of an application, with a preview and the way back to it. */
export function ApplicationClaimsPage({
  params,
}: PageProps<"organization" | "project" | "application">): JSX.Element {
  const client = useClient(ClaimMappingService);
  const applications = useClient(ApplicationService);
  const { project: projectId, application: appId } = params;
  const can = useCan();
  const [changes, setChanges] = useState(0);
  const query = useQuery(async () => {
    const { application } = await applications.getApplication({ projectId, appId });
    return { name: application?.name ?? "", hasHooks: application?.config.case !== "api" };
  }, [applications, projectId, appId]);
  const to = toPath("/orgs/:organization/projects/:project/applications/:application", params);
  return (
    <QueryView query={query}>
      {({ name, hasHooks }) => (
        <PageFrame title={name} parent={{ to, title: name }}>
          <ClaimsView
            mayWrite={can("project.app.write", { project: projectId })}
            onChange={() => setChanges((count) => count + 1)}
            calls={{
              get: async () => (await client.getApplicationClaimMappings({ projectId, appId })).claimMappings,
              set: (mappings, options) =>
                client.setApplicationClaimMappings({ projectId, appId, mappings }, options),
            }}
          />
          {hasHooks && can("project.app.write", { project: projectId }) && (
            <HookClaimPanel projectId={projectId} appId={appId} changes={changes} />
          )}
          {can("user.read") && <Preview projectId={projectId} appId={appId} />}
        </PageFrame>
      )}
    </QueryView>
  );
}

const usualScopes: readonly string[] = ["openid", "profile", "email", "phone"];

/** Shows what would be told of a user at each place. */
function Preview({ projectId, appId }: { readonly projectId: string; readonly appId: string }): JSX.Element {
  const texts = useTexts(claimTexts);
  const client = useClient(ClaimMappingService);
  const [previews, setPreviews] = useState<readonly ClaimPreview[]>([]);
  const form = useForm({
    request: PreviewClaimsRequestSchema,
    of: appId,
    initial: { userId: "", scopes: usualScopes },
    async submit({ userId, scopes }) {
      const answer = await client.previewClaims({ projectId, appId, userId, scopes: [...scopes] });
      setPreviews(answer.previews);
    },
  });
  return (
    <section>
      <h2>{texts.preview}</h2>
      <p class="hint">{texts.previewLead}</p>
      <FormView form={form} submitText={texts.show}>
        <TextField form={form} name="userId" label={texts.user} />
        <LinesField form={form} name="scopes" label={texts.scopes} />
      </FormView>
      {previews.map(({ target, claims, leftOut }) => (
        <div key={target}>
          <h3>{texts.targetNames[target]}</h3>
          <pre>{JSON.stringify(JSON.parse(claims), undefined, 2)}</pre>
          {leftOut.length > 0 && <p class="note">{texts.noRoom(leftOut.join(", "))}</p>}
        </div>
      ))}
    </section>
  );
}
