import type { JSX } from "preact";
import { useApi, useCan, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import { type Application, ApplicationState } from "../../../../gen/console/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { Link } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { History } from "../../ui/events/history.tsx";
import { ObjectFacts } from "../../ui/facts.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import type { ApiView } from "./api/api-view.tsx";
import { ApplicationActions } from "./application-actions.tsx";
import { NameForm } from "./name-form.tsx";
import { OidcView } from "./oidc/oidc-view.tsx";
import type { SamlView } from "./saml/saml-view.tsx";
import { isExternal, kindOf, toApplication, toApplications } from "./shared/application.ts";
import { applicationTexts } from "./shared/texts.ts";
import type { ApplicationViewProps } from "./shared/view-props.ts";

/** Shows an application: how it is connected, its settings, its secrets, and its removal. */
export function ApplicationPage({
  params,
}: PageProps<"organization" | "project" | "application">): JSX.Element {
  const client = useClient(ApplicationService);
  const { project: projectId, application: appId } = params;
  const read = async (): Promise<Application> => {
    const { application } = await client.getApplication({ projectId, appId });
    if (application === undefined) throw new Error("GetApplication answered without an application");
    return application;
  };
  const readAll = async () => {
    const application = await read();
    return { application, views: await loadViews(application) };
  };
  const query = useQuery(readAll, [client, projectId, appId]);
  return (
    <QueryView query={query}>
      {({ application, views }) => (
        <ApplicationView
          key={application.id}
          params={params}
          application={application}
          views={views}
          onChange={query.reload}
          readStored={async () => {
            const stored = await read();
            await query.reload();
            return stored;
          }}
        />
      )}
    </QueryView>
  );
}

/** The views of the kinds that are rarer: each comes with the first application of its kind. */
interface Views {
  readonly Api?: typeof ApiView;
  readonly Saml?: typeof SamlView;
}

async function loadViews({ config }: Application): Promise<Views> {
  if (config.case === "api") return { Api: (await import("./api/api-view.tsx")).ApiView };
  if (config.case === "saml") return { Saml: (await import("./saml/saml-view.tsx")).SamlView };
  return {};
}

interface KindViewProps extends ApplicationViewProps {
  readonly views: Views;
}

function ApplicationView(props: Omit<KindViewProps, "mayWrite">): JSX.Element {
  const { params, application } = props;
  const texts = useTexts(applicationTexts);
  const can = useCan();
  const { permissions } = useApi();
  const mayStop = can("project.app.write", { project: params.project });
  const isTrusted = application.config.case === "oidc" && application.config.value.apiAccess;
  const mayWrite =
    mayStop && !isExternal(application) && (!isTrusted || permissions.can("project.app.write", {}));
  const kind = texts.kinds[kindOf(application)];
  const isActive = application.state === ApplicationState.ACTIVE;
  const view: KindViewProps = { ...props, mayWrite };
  return (
    <PageFrame
      title={application.name}
      mark={<StateMark state={application.state} />}
      lead={isActive ? kind : `${kind}. ${texts.inactiveLead}`}
      parent={{ to: toApplications(params), title: texts.title }}
      actions={mayStop && <ApplicationActions {...view} />}
    >
      {mayStop && !mayWrite && (
        <div class="note" role="note">
          <p>{isExternal(application) ? texts.external : texts.trusted}</p>
        </div>
      )}
      <KindView {...view} />
      {mayWrite && <NameForm {...view} />}
      <p class="page-link">
        <Link to={`${toApplication(params, application.id)}/metadata`}>{texts.metadata}</Link>{" "}
        <Link to={`${toApplication(params, application.id)}/claims`}>{texts.claims}</Link>
      </p>
      <ObjectFacts id={application.id} details={application.details} />
      <History aggregate="application" id={application.id} version={application.details?.sequence} />
    </PageFrame>
  );
}

function KindView({ views: { Api, Saml }, ...props }: KindViewProps): JSX.Element | null {
  const { config } = props.application;
  switch (config.case) {
    case "oidc":
      return <OidcView {...props} oidc={config.value} />;
    case "api":
      return Api === undefined ? null : <Api {...props} api={config.value} />;
    case "saml":
      return Saml === undefined ? null : <Saml {...props} saml={config.value} />;
    default:
      return null;
  }
}
