import {
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcSubject,
  OidcTokenType,
} from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { flagIn, objectIn, textIn, textsIn } from "../json-fields.ts";
import type { JsonFields } from "../json-members.ts";
import { type ApplicationRecord, type Remark, remark } from "../records.ts";
import { quote } from "../report.ts";

/** Makes the record of an application (DataOIDCApplication). An export has no client secrets. */
export function toZitadelApplication(
  fields: JsonFields,
  { keepsSubjects }: { readonly keepsSubjects: boolean },
): readonly (ApplicationRecord | Remark)[] {
  const app = objectIn(fields, "app");
  const name = textIn(app, "name");
  const where = `application ${quote(name)}`;
  const grants = textsIn(app, "grantTypes").map((grant) => grant.replace("OIDC_GRANT_TYPE_", ""));
  const grantTypes = grants.flatMap((grant) => valueOf(OidcGrantType, grant) ?? []);
  const left = grants.filter((grant) => valueOf(OidcGrantType, grant) === undefined);
  return [
    ...left.map((grant) => remark(where, "note", `comes without the grant ${quote(grant)}`)),
    {
      kind: "application",
      where,
      oldId: textIn(fields, "appId"),
      name,
      project: textIn(app, "projectId"),
      config: {
        kind: "oidc",
        secret: undefined,
        settings: {
          redirectUris: [...textsIn(app, "redirectUris")],
          postLogoutRedirectUris: [...textsIn(app, "postLogoutRedirectUris")],
          additionalOrigins: [...textsIn(app, "additionalOrigins")],
          grantTypes: grantTypes.length === 0 ? [OidcGrantType.AUTHORIZATION_CODE] : grantTypes,
          appType:
            valueOf(OidcAppType, textIn(app, "appType").replace("OIDC_APP_TYPE_", "")) ?? OidcAppType.WEB,
          authMethodType:
            valueOf(
              OidcAuthMethodType,
              textIn(app, "authMethodType").replace("OIDC_AUTH_METHOD_TYPE_", ""),
            ) ?? OidcAuthMethodType.BASIC,
          accessTokenType: textIn(app, "accessTokenType").endsWith("JWT")
            ? OidcTokenType.JWT
            : OidcTokenType.BEARER,
          devMode: flagIn(app, "devMode"),
          accessTokenRoleAssertion: flagIn(app, "accessTokenRoleAssertion"),
          idTokenRoleAssertion: flagIn(app, "idTokenRoleAssertion"),
          idTokenUserinfoAssertion: flagIn(app, "idTokenUserinfoAssertion"),
          subject: keepsSubjects ? OidcSubject.IMPORTED_ID : OidcSubject.ID,
        },
      },
    },
  ];
}

/** Finds the value of an enum by its name; undefined: there is none, or it says nothing. */
function valueOf<V extends number>(
  values: Readonly<Record<string, V | string>>,
  name: string,
): V | undefined {
  const value = values[name];
  return typeof value === "number" && value > 0 ? value : undefined;
}
