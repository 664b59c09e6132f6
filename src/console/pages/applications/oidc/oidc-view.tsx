import type { JSX } from "preact";
import { OidcAuthMethodType } from "../../../../../gen/console/gatehouse/v1/oidc_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Code } from "../../../ui/copy-button.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { useKeysPanel } from "../keys/use-keys-panel.ts";
import { isExternal } from "../shared/application.ts";
import { SecretPanel } from "../shared/secret-panel.tsx";
import { applicationTexts } from "../shared/texts.ts";
import type { OidcViewProps } from "../shared/view-props.ts";
import { OidcFacts } from "./oidc-facts.tsx";
import { OidcForm } from "./oidc-form.tsx";
import { oidcTexts, textOf } from "./oidc-texts.ts";
import { hasSecret } from "./oidc-values.ts";

/** Shows what belongs to an OIDC application: addresses, settings, secret and keys. */
export function OidcView(props: OidcViewProps): JSX.Element {
  const { oidc, mayWrite } = props;
  const texts = useTexts(applicationTexts);
  const { authMethodType } = oidc;
  const usesKeys = authMethodType === OidcAuthMethodType.PRIVATE_KEY_JWT;
  const Keys = useKeysPanel(usesKeys);
  return (
    <>
      {!isExternal(props.application) && <Problems problems={oidc.complianceProblems} />}
      <section class="panel addresses">
        <h2>{texts.connect}</h2>
        <Facts
          facts={[
            { label: texts.clientId, value: <Code text={oidc.clientId} label={texts.clientId} /> },
            { label: texts.issuer, value: <Code text={location.origin} label={texts.issuer} /> },
            {
              label: texts.discovery,
              value: (
                <Code text={`${location.origin}/.well-known/openid-configuration`} label={texts.discovery} />
              ),
            },
          ]}
        />
      </section>
      {mayWrite ? <OidcForm {...props} /> : <OidcFacts oidc={oidc} />}
      {mayWrite && hasSecret(authMethodType) && <SecretPanel {...props} />}
      {usesKeys && Keys !== undefined && <Keys {...props} />}
    </>
  );
}

function Problems({ problems }: { readonly problems: readonly string[] }): JSX.Element | null {
  const texts = useTexts(oidcTexts);
  if (problems.length === 0) return null;
  return (
    <div class="note" role="note">
      <p class="note-title">{texts.couldBeBetter}</p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{textOf(texts.problems, problem)}</li>
        ))}
      </ul>
    </div>
  );
}
