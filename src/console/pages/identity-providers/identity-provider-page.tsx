import type { JSX } from "preact";
import { useCan, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import {
  type IdentityProvider,
  IdentityProviderState,
} from "../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import { IdentityProviderService } from "../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { History } from "../../ui/events/history.tsx";
import { ObjectFacts } from "../../ui/facts.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { JwtProviderView } from "./jwt/jwt-view.tsx";
import { LdapProviderView } from "./ldap/ldap-view.tsx";
import { OidcProviderView } from "./oidc/oidc-view.tsx";
import { OfferedPanel } from "./offered-panel.tsx";
import { ProviderActions } from "./provider-actions.tsx";
import { SamlProviderView } from "./saml/saml-view.tsx";
import { kindOfProvider, toProviders } from "./shared/provider.ts";
import { providerTexts } from "./shared/texts.ts";
import type { ProviderViewProps } from "./shared/view-props.ts";
import { TemplateProviderView } from "./template/template-view.tsx";

/** Shows an identity provider: its settings, its state, and its removal. */
export function IdentityProviderPage({ params }: PageProps<"organization" | "provider">): JSX.Element {
  const client = useClient(IdentityProviderService);
  const mayWrite = useCan()("idp.write");
  const read = async (): Promise<IdentityProvider> => {
    const { identityProvider } = await client.getIdentityProvider({ idpId: params.provider });
    if (identityProvider === undefined) throw new Error("GetIdentityProvider answered without one");
    return identityProvider;
  };
  const query = useQuery(read, [client, params.provider]);
  return (
    <QueryView query={query}>
      {(provider) => (
        <ProviderView
          key={provider.id}
          organization={params.organization}
          provider={provider}
          mayWrite={mayWrite}
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

function ProviderView(props: ProviderViewProps): JSX.Element {
  const { organization, provider, mayWrite } = props;
  const texts = useTexts(providerTexts);
  const mayReadPolicy = useCan()("policy.read");
  const kind = texts.kinds[kindOfProvider(provider)];
  const isActive = provider.state === IdentityProviderState.ACTIVE;
  return (
    <PageFrame
      title={provider.name}
      mark={<StateMark state={provider.state} />}
      lead={isActive ? kind : `${kind}. ${texts.inactiveLead}`}
      parent={{ to: toProviders(organization), title: texts.title }}
      actions={mayWrite && <ProviderActions {...props} />}
    >
      <KindView {...props} />
      {mayReadPolicy && <OfferedPanel {...props} />}
      <ObjectFacts id={provider.id} details={provider.details} />
      <History aggregate="identity_provider" id={provider.id} version={provider.details?.sequence} />
    </PageFrame>
  );
}

function KindView(props: ProviderViewProps): JSX.Element | null {
  const { config } = props.provider;
  switch (config.case) {
    case "oidc":
      return <OidcProviderView {...props} oidc={config.value} />;
    case "saml":
      return <SamlProviderView {...props} saml={config.value} />;
    case "ldap":
      return <LdapProviderView {...props} ldap={config.value} />;
    case "google":
    case "entra":
    case "github":
    case "gitlab":
    case "apple":
      return <TemplateProviderView {...props} kind={config.case} />;
    case "jwt":
      return <JwtProviderView {...props} jwt={config.value} />;
    default:
      return null;
  }
}
