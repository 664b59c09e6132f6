import type { DescField } from "@bufbuild/protobuf";
import { WriteItemSchema } from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { permissions, roleDefinitions } from "../../../../kernel/base/permission.ts";
import { samlAttributeSources } from "../../../../identity/applications/saml/saml-settings.ts";
import { signingSecretPattern } from "../../../../identity/signing-secrets/signing-secret.ts";
import { languages } from "../../../../identity/texts/languages.ts";
import { isIdField } from "../../calls/batch/references.ts";
import { ifMatchPattern } from "./condition-headers.ts";
import {
  baseUrlPattern,
  httpsUrlPattern,
  idPattern,
  originPattern,
  phonePattern,
  redirectUriPattern,
  referencePattern,
  rolePattern,
  urlPattern,
  urlWithoutQueryPattern,
  whole,
} from "./patterns.ts";
import type { Schema } from "./schema.ts";

/** Facts about a text besides its rules. */
export interface FormatContext {
  /** Whether its rules allow it to be empty. */
  readonly mayBeEmpty: boolean;
  /** Whether it is in an item of a batch, where an id may be a reference. */
  readonly isInBatch: boolean;
}

type Format = (context: FormatContext) => Schema;

const uri =
  (pattern: string): Format =>
  ({ mayBeEmpty }) => {
    const filled = { format: "uri", pattern: whole(pattern, false) };
    return mayBeEmpty ? { anyOf: [filled, { const: "" }] } : filled;
  };
const url = uri(urlPattern);
const httpsUrl = uri(httpsUrlPattern);
const redirectUri = uri(redirectUriPattern);
const issuer: Format = ({ mayBeEmpty }) => ({
  format: "uri",
  pattern: whole(urlWithoutQueryPattern, mayBeEmpty),
});
const roleKey: Format = ({ mayBeEmpty }) => ({ pattern: whole(rolePattern, mayBeEmpty) });
const id: Format = ({ mayBeEmpty, isInBatch }) => ({
  pattern: whole(isInBatch ? referencePattern : idPattern, mayBeEmpty),
});

/** Requirements of handlers on texts with these names, or in one message, that no rule of the protos can express. */
const formats: Readonly<Record<string, Format>> = {
  jwt_endpoint: url,
  keys_endpoint: url,
  metadata_url: url,
  "gatehouse.v1.AddTargetRequest.url": url,
  "gatehouse.v1.UpdateTargetRequest.url": url,
  signing_secret: ({ mayBeEmpty }) => ({ pattern: whole(signingSecretPattern, mayBeEmpty) }),
  terms_url: httpsUrl,
  privacy_url: httpsUrl,
  help_url: httpsUrl,
  "gatehouse.v1.AddOidcIdentityProviderRequest.issuer": issuer,
  "gatehouse.v1.OidcConfig.issuer": issuer,
  base_url: uri(baseUrlPattern),
  redirect_uris: redirectUri,
  post_logout_redirect_uris: redirectUri,
  back_channel_logout_uri: redirectUri,
  additional_origins: ({ mayBeEmpty }) => ({ format: "uri", pattern: whole(originPattern, mayBeEmpty) }),
  phone: ({ mayBeEmpty }) => ({ pattern: whole(phonePattern, mayBeEmpty) }),
  "gatehouse.v1.SamlAttribute.source": () => ({ enum: ["", ...samlAttributeSources] }),
  language: () => ({ enum: languages.map(({ tag }) => tag) }),
  roles: () => ({ enum: Object.keys(roleDefinitions) }),
  "gatehouse.v1.AskedPermission.permission": () => ({ enum: permissions }),
  role_key: roleKey,
  role_keys: roleKey,
  if_match: ({ mayBeEmpty }) => ({ pattern: whole(ifMatchPattern, mayBeEmpty) }),
};

/** Returns the further requirements on a text of a request; undefined when its rules are all. */
export function formatOf(field: DescField, context: FormatContext): Schema | undefined {
  if (isFilter(field, context) || isLeftOut(field)) return undefined;
  // Items whose call ignores the organization ignore their own.
  if (isIdField(field) && field.parent.typeName !== WriteItemSchema.typeName) return id(context);
  return (formats[`${field.parent.typeName}.${field.name}`] ?? formats[field.name])?.(context);
}

/** The fields that must not have duplicate entries. */
const sets: ReadonlySet<string> = new Set([
  "gatehouse.v1.ClaimMapping.targets",
  "gatehouse.v1.SetApplicationClaimMappingsRequest.mappings",
  "gatehouse.v1.SetProjectClaimMappingsRequest.mappings",
  "gatehouse.v1.SetUserMetadataSharingRequest.shared",
  "gatehouse.v1.SharedUserMetadata.shared_with",
  "gatehouse.v1.BulkAddProjectRolesRequest.roles",
  "gatehouse.v1.BulkRemoveUserGrantsRequest.grant_ids",
  "gatehouse.v1.BulkSetUserMetadataRequest.items",
  "gatehouse.v1.BulkSetOrganizationMetadataRequest.items",
  "gatehouse.v1.BulkSetProjectMetadataRequest.items",
  "gatehouse.v1.BulkSetApplicationMetadataRequest.items",
  "gatehouse.v1.BulkSetGroupMetadataRequest.items",
]);

/** Says whether a list with duplicates is refused. */
export function isSet(field: DescField): boolean {
  return sets.has(`${field.parent.typeName}.${field.name}`);
}

/** Entries that name no object are left out of these lists, and not refused. */
function isLeftOut({ fieldKind, parent }: DescField): boolean {
  return fieldKind === "list" && parent.typeName === "gatehouse.v1.RemoveGroupMembersRequest";
}

/** A list filter that matches no object is not refused. */
function isFilter({ parent }: DescField, { mayBeEmpty }: FormatContext): boolean {
  return mayBeEmpty && parent.field["pageToken"] !== undefined;
}
