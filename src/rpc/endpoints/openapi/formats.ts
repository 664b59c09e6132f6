import type { DescField } from "@bufbuild/protobuf";
import { WriteItemSchema } from "../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { roleDefinitions } from "../../../base/permission.ts";
import { isIdField } from "../../calls/batch/references.ts";
import { ifMatchPattern } from "./condition-headers.ts";
import {
  idPattern,
  phonePattern,
  referencePattern,
  rolePattern,
  urlPattern,
  urlWithoutQueryPattern,
  whole,
} from "./patterns.ts";
import type { Schema } from "./schema.ts";

/** What is known of a text beside its rules. */
export interface FormatContext {
  /** Whether its rules let it be empty. */
  readonly mayBeEmpty: boolean;
  /** Whether it stands in an item of a batch, where an id may be a reference. */
  readonly isInBatch: boolean;
}

type Format = (context: FormatContext) => Schema;

const url: Format = ({ mayBeEmpty }) => {
  const filled = { format: "uri", pattern: whole(urlPattern, false) };
  return mayBeEmpty ? { anyOf: [filled, { const: "" }] } : filled;
};
const issuer: Format = ({ mayBeEmpty }) => ({
  format: "uri",
  pattern: whole(urlWithoutQueryPattern, mayBeEmpty),
});
const roleKey: Format = ({ mayBeEmpty }) => ({ pattern: whole(rolePattern, mayBeEmpty) });
const id: Format = ({ mayBeEmpty, isInBatch }) => ({
  pattern: whole(isInBatch ? referencePattern : idPattern, mayBeEmpty),
});

/** What the handlers ask of texts of these names, or of one message: rules that no rule of the protos can say. */
const formats: Readonly<Record<string, Format>> = {
  jwt_endpoint: url,
  keys_endpoint: url,
  metadata_url: url,
  "gatehouse.v1.AddOidcIdentityProviderRequest.issuer": issuer,
  "gatehouse.v1.OidcConfig.issuer": issuer,
  phone: ({ mayBeEmpty }) => ({ pattern: whole(phonePattern, mayBeEmpty) }),
  roles: () => ({ enum: Object.keys(roleDefinitions) }),
  role_key: roleKey,
  role_keys: roleKey,
  if_match: ({ mayBeEmpty }) => ({ pattern: whole(ifMatchPattern, mayBeEmpty) }),
};

/** Returns what is asked of a text of a request; undefined when its rules say all. */
export function formatOf(field: DescField, context: FormatContext): Schema | undefined {
  if (isFilter(field, context)) return undefined;
  // Items whose call reads no organization do not read theirs.
  if (isIdField(field) && field.parent.typeName !== WriteItemSchema.typeName) return id(context);
  return (formats[`${field.parent.typeName}.${field.name}`] ?? formats[field.name])?.(context);
}

/** The fields that may hold no two entries that are the same. */
const sets: ReadonlySet<string> = new Set([
  "gatehouse.v1.BulkAddProjectRolesRequest.roles",
  "gatehouse.v1.BulkRemoveUserGrantsRequest.grant_ids",
]);

/** Says whether a list is refused when it holds the same twice. */
export function isSet(field: DescField): boolean {
  return sets.has(`${field.parent.typeName}.${field.name}`);
}

/** A filter of a list that names nothing finds nothing, and is not refused. */
function isFilter({ parent }: DescField, { mayBeEmpty }: FormatContext): boolean {
  return mayBeEmpty && parent.field["pageToken"] !== undefined;
}
