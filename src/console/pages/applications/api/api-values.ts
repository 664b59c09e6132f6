import { toEnum } from "../../../api/enums.ts";
import { ApiAuthMethodType, type ApiConfig } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";

/** The values of a form about an API: the method is the text of its number, scopes are those of `writeScope`. Only a new one has a name. */
export type ApiValues = {
  readonly name: string;
  readonly authMethodType: string;
  readonly resource: string;
  readonly devMode: boolean;
  readonly resourceVerified: boolean;
  readonly allowExternalClients: boolean;
  readonly scopes: readonly string[];
};

/** The values of an API that is new. */
export const newApi: ApiValues = {
  name: "",
  authMethodType: String(ApiAuthMethodType.BASIC),
  resource: "",
  devMode: false,
  resourceVerified: false,
  allowExternalClients: false,
  scopes: [],
};

/** A scope of an API, as the field for them holds it. */
export interface ScopeValue {
  readonly name: string;
  readonly description: string;
  readonly isDefault: boolean;
  /** Separated by commas. */
  readonly roleKeys: string;
}

/** Returns the values of an application. */
export function toApiValues(api: ApiConfig): ApiValues {
  const { authMethodType, resource, devMode, allowExternalClients, scopes } = api;
  const values = scopes.map((scope) => writeScope({ ...scope, roleKeys: scope.roleKeys.join(", ") }));
  return {
    ...newApi,
    authMethodType: String(authMethodType),
    resource,
    devMode,
    allowExternalClients,
    scopes: values,
  };
}

/** Returns the values as requests have them. */
export function toApiRequest(values: ApiValues) {
  const { authMethodType, resource, devMode, resourceVerified, allowExternalClients, scopes } = values;
  return {
    authMethodType: toEnum(ApiAuthMethodType, authMethodType),
    resource: resource.trim(),
    devMode,
    resourceVerified,
    allowExternalClients,
    scopes: scopes.map(readScope).map(({ name, description, isDefault, roleKeys }) => ({
      name: name.trim(),
      description,
      isDefault,
      roleKeys: roleKeys
        .split(",")
        .map((key) => key.trim())
        .filter((key) => key !== ""),
    })),
  };
}

/** Writes a scope as a text for the values of a form. */
export function writeScope({ name, description, isDefault, roleKeys }: ScopeValue): string {
  return JSON.stringify({ name, description, isDefault, roleKeys });
}

/** Reads what `writeScope` has written. */
export function readScope(text: string): ScopeValue {
  return JSON.parse(text) as ScopeValue; // written above
}

/** What can be wrong with the scopes as a whole. */
export type ScopeFault = "unnamed" | "doubled";

/** Says what is wrong with the scopes first, if anything is. The service checks the rest. */
export function findScopeFault(scopes: readonly ScopeValue[]): ScopeFault | undefined {
  const names = scopes.map(({ name }) => name.trim());
  if (names.includes("")) return "unnamed";
  return new Set(names).size < names.length ? "doubled" : undefined;
}
