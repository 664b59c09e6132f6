import type { JSX } from "preact";
import type { OidcApplicationConfig } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { Facts } from "../../../ui/facts.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { applicationTexts } from "../shared/texts.ts";
import { oidcTexts, textOf } from "./oidc-texts.ts";

/** Shows the settings of an OIDC application to users that may not change them. */
export function OidcFacts({ oidc }: { readonly oidc: OidcApplicationConfig }): JSX.Element {
  const shared = useTexts(applicationTexts);
  const texts = useTexts(oidcTexts);
  const { yes, no } = useTexts(uiTexts);
  const flag = (isOn: boolean): string => (isOn ? yes : no);
  return (
    <section class="panel">
      <h2>{shared.settings}</h2>
      <Facts
        facts={[
          { label: texts.redirectUris, value: lines(oidc.redirectUris) },
          { label: texts.postLogoutRedirectUris, value: lines(oidc.postLogoutRedirectUris) },
          { label: texts.additionalOrigins, value: lines(oidc.additionalOrigins) },
          { label: texts.devMode, value: flag(oidc.devMode) },
          { label: texts.appType, value: textOf(texts.appTypes, String(oidc.appType)) },
          { label: texts.authMethodType, value: textOf(texts.authMethods, String(oidc.authMethodType)) },
          {
            label: texts.securityProfile,
            value: textOf(texts.securityProfiles, String(oidc.securityProfile)),
          },
          { label: texts.requirePkce, value: flag(oidc.requirePkce) },
          { label: texts.requirePar, value: flag(oidc.requirePar) },
          { label: texts.requireDpop, value: flag(oidc.requireDpop) },
          {
            label: texts.grantTypes,
            value: lines(oidc.grantTypes.map((grant) => textOf(texts.grants, String(grant)))),
          },
          { label: texts.responseType, value: "code" },
          { label: texts.accessTokenType, value: textOf(texts.tokenTypes, String(oidc.accessTokenType)) },
          { label: texts.accessTokenRoleAssertion, value: flag(oidc.accessTokenRoleAssertion) },
          { label: texts.idTokenRoleAssertion, value: flag(oidc.idTokenRoleAssertion) },
          { label: texts.idTokenUserinfoAssertion, value: flag(oidc.idTokenUserinfoAssertion) },
          { label: texts.groupsClaim, value: textOf(texts.groupsClaims, String(oidc.groupsClaim)) },
          { label: texts.signingAlgorithm, value: textOf(texts.algorithms, String(oidc.signingAlgorithm)) },
          { label: texts.backChannelLogoutUri, value: oidc.backChannelLogoutUri },
          { label: texts.apiAccess, value: flag(oidc.apiAccess) },
          { label: texts.subject, value: textOf(texts.subjects, String(oidc.subject)) },
        ]}
      />
    </section>
  );
}

function lines(values: readonly string[]): JSX.Element | undefined {
  if (values.length === 0) return undefined;
  return (
    <ul class="plain">
      {values.map((value) => (
        <li key={value}>{value}</li>
      ))}
    </ul>
  );
}
