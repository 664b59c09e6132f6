import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";

/** A place in a request: a field that is not a message, and the messages that lead to it. */
export interface RequestField {
  /** The proto path, lists with the index 0: `roles[0].role_key`. */
  readonly path: string;
  readonly field: DescField;
  /** The enum of the field, or of the items of the list. */
  readonly enumeration: DescEnum | undefined;
  /** The same place in JSON. */
  toJson(value: string | number): object;
  /** A message that has the value there and nothing else. */
  toMessage(value: string | number): Message;
}

/** Returns every place of a text or an enum in a request of ours, also inside of messages and lists. */
export function listRequestFields(request: DescMessage): readonly RequestField[] {
  return walk(request, []).map((steps) => {
    const field = steps[steps.length - 1] as DescField; // walk returns no empty list
    return {
      path: steps.map((step) => step.name + (step.fieldKind === "list" ? "[0]" : "")).join("."),
      field,
      enumeration: field.enum,
      toJson: (value) => toJson(steps, value),
      toMessage: (value) => {
        const message = create(request);
        put(reflect(request, message), steps, value);
        return message;
      },
    };
  });
}

const limitsOfTemplates = {
  "apple.private_key": 2000,
  "apple.team_id": 10,
  "apple.private_key_id": 10,
  "entra.tenants[0]": 36,
};

const limitsOfDirectories = {
  "servers[0]": 300,
  bind_dn: 1000,
  base_dn: 1000,
  user_filter: 1000,
  group_base_dn: 1000,
  ca_certificates: 20_000,
  ...Object.fromEntries(
    [
      "id",
      "username",
      "email",
      "given_name",
      "family_name",
      "display_name",
      "preferred_language",
      "member_of",
    ].map((name) => [`${name}_attribute`, 100]),
  ),
  "login_attributes[0]": 100,
};

/** What is longer than 200 characters, or shorter, by interface.md and api.md. */
const otherLimits: Readonly<Record<string, number>> = {
  "AddOidcIdentityProvider issuer": 2048,
  "CreateIdentityProvider oidc.issuer": 2048,
  "UpdateIdentityProvider oidc.issuer": 2048,
  ...Object.fromEntries(
    ["CreateIdentityProvider", "UpdateIdentityProvider"].flatMap((name) => [
      [`${name} saml.entity_id`, 1024],
      [`${name} saml.metadata_url`, 2048],
      [`${name} saml.metadata_xml`, 200_000],
    ]),
  ),
  ...Object.fromEntries(
    ["Create", "Update"].flatMap((verb) =>
      Object.entries(limitsOfDirectories).map(([field, limit]) => [
        `${verb}IdentityProvider ldap.${field}`,
        limit,
      ]),
    ),
  ),
  ...Object.fromEntries(
    ["Create", "Update"].flatMap((verb) =>
      Object.entries(limitsOfTemplates).map(([field, limit]) => [`${verb}IdentityProvider ${field}`, limit]),
    ),
  ),
  "CreateSamlApplication metadata_url": 2048,
  "AddTarget url": 2048,
  "AddHook url": 2048,
  "UpdateHook url": 2048,
  "UpdateTarget url": 2048,
  "UpdateExternalClientSettings host_patterns[0]": 255,
  "UpdateSamlConfig metadata_url": 2048,
  "UpdateSamlSettings default_relay_state": 1024,
  "UpdateSamlSettings attributes[0].name": 256,
  "UpdateSamlSettings attributes[0].name_format": 256,
  "UpdateSamlSettings attributes[0].constant": 1024,
  ...Object.fromEntries(
    ["CreateOidcApplication", "UpdateOidcConfig"].flatMap((name) =>
      [
        "redirect_uris[0]",
        "post_logout_redirect_uris[0]",
        "additional_origins[0]",
        "back_channel_logout_uri",
      ].map((field) => [`${name} ${field}`, 2048]),
    ),
  ),
  ...Object.fromEntries(
    ["AddGroup", "UpdateGroup"].flatMap((name) => [
      [`${name} description`, 500],
      [`${name} external_id`, 255],
    ]),
  ),
  "SetProjectClaimMappings mappings[0].constant": 1000,
  "SetApplicationClaimMappings mappings[0].constant": 1000,
  "VerifyPhone verification_code": 20,
  "VerifyEmail verification_code": 20,
  "VerifyTotp code": 20,
  "SetPassword verification_code": 40,
  "SetPassword current_password": 1000,
  "SetPasswordHash encoded_hash": 1000,
  "AddIdpLink external_user_id": 255,
  "RemoveIdpLink external_user_id": 255,
  "RequestPasswordReset send_link.url_template": 1000,
  "AddHumanUser password_hash": 1000,
  "AddHumanUser imported_id": 255,
  "AddHumanUser invite.url_template": 1000,
  "ResendInvitation invite.url_template": 1000,
  ...Object.fromEntries(
    ["UpdateLabelPolicy", "UpdateDefaultLabelPolicy"].flatMap((name) =>
      ["light", "dark"].flatMap((theme) =>
        ["primary", "background", "warn", "font"].map((of) => [`${name} ${theme}.${of}_color`, 7]),
      ),
    ),
  ),
  ...Object.fromEntries(
    ["UpdateLabelPolicy", "UpdateDefaultLabelPolicy"].flatMap((name) =>
      ["terms", "privacy", "help"].map((of) => [`${name} ${of}_url`, 500]),
    ),
  ),
  ...Object.fromEntries(
    ["Get", "GetDefault", "Set", "SetDefault", "Reset"].map((verb) => [`${verb}CustomTexts language`, 10]),
  ),
  "SetCustomTexts texts[0].text": 2000,
  "SetDefaultCustomTexts texts[0].text": 2000,
  "Write items[0].bulk_id": 64,
};

/** Returns how many characters the text may have: 200 unless the contract says otherwise. An item of a batch is as its call. */
export function limitOf(method: DescMethod, place: RequestField): number {
  if (place.field.name === "page_token") return 2048; // opaque; what the service makes is shorter
  const [, item = "", path = ""] = /^items\[0\]\.(\w+)\.(.+)$/.exec(place.path) ?? [];
  const alone = item.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
  const name = item === "" ? `${method.name} ${place.path}` : `${alone} ${path}`;
  return otherLimits[name] ?? 200;
}

function walk(message: DescMessage, before: readonly DescField[]): readonly (readonly DescField[])[] {
  return message.fields.flatMap((field) => {
    const steps = [...before, field];
    if (field.message !== undefined) {
      return field.message.typeName.startsWith("gatehouse.") ? walk(field.message, steps) : [];
    }
    const isText = field.scalar === ScalarType.STRING;
    return isText || field.enum !== undefined ? [steps] : [];
  });
}

function toJson(steps: readonly DescField[], value: string | number): object {
  const [field, ...rest] = steps;
  if (field === undefined) throw new Error("a place has at least one step");
  const inside = rest.length === 0 ? value : toJson(rest, value);
  return { [field.jsonName]: field.fieldKind === "list" ? [inside] : inside };
}

function put(message: ReflectMessage, steps: readonly DescField[], value: string | number): void {
  const [field, ...rest] = steps;
  if (field === undefined) throw new Error("a place has at least one step");
  let inside: unknown = value;
  if (field.message !== undefined) {
    const inner = reflect(field.message);
    put(inner, rest, value);
    inside = inner;
  }
  if (field.fieldKind === "list") message.get(field).add(inside);
  else message.set(field, inside);
}
