/**
 * Remembers every secret that passes through the clients of a test file, so that a scan at the end of each service finds
 * those that lie where they must not (`canary-scan.ts`).
 */
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethodUnary,
  getOption,
} from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { sensitive } from "../../gen/gatehouse/v1/sensitive_pb.ts";
import { eventDefinitions } from "../../src/kernel/events/catalogue.ts";
import type { CallOptions, Outcome } from "./clients.ts";
import { oncePerKey } from "./once-per-key.ts";

/**
 * `secret`: nowhere in clear. `code`: the same, but a few characters, so only as a word of their own. `personal`:
 * in the tables and in answers, never in logs, metrics and the clear part of events. `word`: personal too, but so common
 * that only a whole text of JSON counts, such as `"Ada"`. `hash`: of a password that another system has made, which stands
 * among the secrets, and nowhere else.
 */
export type CanaryKind = "secret" | "hash" | "code" | "personal" | "word";

/** A value that is looked for. */
export interface Canary {
  readonly kind: CanaryKind;
  /** What it is, for the report; the value itself is in none. */
  readonly name: string;
  readonly value: Buffer;
}

/** Answers that carry a secret on purpose, once: method → paths of fields (JSON names). Nothing else may. */
export const secretsAnswered: Readonly<Record<string, readonly string[]>> = {
  AddPersonalAccessToken: ["token"],
  AddServiceUserKey: ["keyDetails"],
  GenerateServiceUserSecret: ["clientSecret"],
  AddApplicationKey: ["keyDetails"],
  CreateApiApplication: ["clientSecret"],
  CreateOidcApplication: ["clientSecret"],
  GenerateClientSecret: ["clientSecret"],
  AddTarget: ["signingSecret"],
  AddTargetSecret: ["signingSecret"],
  AddHook: ["signingSecret"],
  AddHookSecret: ["signingSecret"],
  SetPhone: ["verificationCode"],
  ResendPhoneCode: ["verificationCode"],
  SetEmail: ["verificationCode"],
  AddHumanUser: ["verificationCode"],
  ResendEmailCode: ["verificationCode"],
  RequestPasswordReset: ["verificationCode"],
  RegisterPasskey: ["publicKeyCredentialCreationOptions"],
  RegisterU2f: ["publicKeyCredentialCreationOptions"],
  RegisterTotp: ["uri", "secret"],
  GenerateRecoveryCodes: ["codes"],
  Write: [
    "results.addPersonalAccessToken.token",
    "results.addHook.signingSecret",
    "results.addHookSecret.signingSecret",
    "results.addTarget.signingSecret",
    "results.addTargetSecret.signingSecret",
    "results.createApiApplication.clientSecret",
    "results.createOidcApplication.clientSecret",
    "results.generateClientSecret.clientSecret",
    "results.generateServiceUserSecret.clientSecret",
  ],
};

/** The values to look for, and what the clients got. */
export interface Canaries {
  list(): readonly Canary[];
  /** Takes a secret; values too short or too plain to be told from other text are left out. */
  add(name: string, value: string | Uint8Array): void;
  addCode(value: string): void;
  /** Takes the code that a device shows, such as `WDJB-MJHT`. Pages show it, so hand them to nobody who looks for it. */
  addUserCode(value: string): void;
  addRecoveryCode(value: string): void;
  addHash(value: string): void;
  addPersonal(name: string, value: string): void;
  /** Takes the secrets and the personal data that go out with a call. */
  noteRequest<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    options: CallOptions,
  ): void;
  /** Takes the secrets that come back, and keeps the rest of the answer to be looked through. */
  noteOutcome(method: DescMethodUnary, outcome: Outcome): void;
  /** Takes the token of a header `authorization`, whatever its form. */
  noteAuthorization(value: string): void;
  /** Keeps text that came back, to be looked through. */
  noteReceived(text: string): void;
  /** Returns what came back since the last time. */
  takeReceived(): readonly string[];
}

const leastBytes = 12;
const leastDistinctBytes = 6;
const personalFields = new Set<string>([
  ...Object.values(eventDefinitions).flatMap(({ personal = [] }) => personal),
  "token_name",
  "passkey_name",
]);
const urlFields = new Set(["jwt_endpoint", "keys_endpoint", "metadata_url"]);

export function createCanaries(): Canaries {
  const known = new Map<string, Canary>();
  let received: string[] = [];
  const put = (kind: CanaryKind, name: string, value: Buffer) => {
    const key = `${kind} ${value.toString("latin1")}`;
    if (!known.has(key)) known.set(key, { kind, name, value });
  };
  const canaries: Canaries = {
    list: () => [...known.values()],
    add(name, value) {
      const bytes = Buffer.from(value);
      if (bytes.length >= leastBytes && new Set(bytes).size >= leastDistinctBytes) put("secret", name, bytes);
    },
    addCode(value) {
      if (/^\d{8}$/.test(value)) put("code", "phone code", Buffer.from(value));
    },
    addUserCode(value) {
      for (const spelling of [value, value.replace("-", "")]) put("code", "user code", Buffer.from(spelling));
    },
    addRecoveryCode(value) {
      put("code", "recovery code", Buffer.from(value));
    },
    addHash(value) {
      if (value.startsWith("$")) put("hash", "hash of a password", Buffer.from(value));
    },
    addPersonal(name, value) {
      const bytes = Buffer.from(value);
      const isTelling = bytes.length >= 8 && new Set(bytes).size >= 5 && /[\d@\u0080-\uffff]/.test(value);
      if (isTelling) put("personal", name, bytes);
      else if (bytes.length >= 3) put("word", name, bytes);
    },
    noteRequest(method, request, options) {
      canaries.noteAuthorization(options.headers?.["authorization"] ?? `Bearer ${options.token ?? ""}`);
      visitTexts(method.input, create(method.input, request), fromMessage, (field, text) => {
        // A code that a test makes up is no secret of the service's, and may be as common as 00000000.
        if (["encoded_hash", "password_hash"].includes(field.name)) canaries.addHash(text);
        else if (isSecret(field)) canaries.add(field.name, text);
        else if (urlFields.has(field.name)) addUrl(canaries, text);
        else if (isAboutUsers(field) && personalFields.has(field.name))
          canaries.addPersonal(field.name, text);
      });
    },
    noteOutcome(method, outcome) {
      const headers = JSON.stringify([...outcome.headers]);
      if (outcome.kind === "error") {
        canaries.noteReceived(JSON.stringify(outcome.status) + headers);
        return;
      }
      visitTexts(method.output, outcome.json, fromJson, (field, text) => {
        if (isSecret(field)) addSecret(canaries, field, text);
      });
      addChallenge(canaries, outcome.json);
      const answered = secretsAnswered[method.name] ?? [];
      const open = answered.reduce<unknown>((rest, path) => without(rest, path.split(".")), outcome.json);
      canaries.noteReceived(JSON.stringify(open) + headers);
    },
    noteAuthorization(value) {
      const token = value.replace(/^\S+ +/, "");
      canaries.add("token", token);
      const [, secret] = /^gatehouse_pat_\d+_([\w-]{43})\w{6}$/.exec(token) ?? [];
      if (secret !== undefined) canaries.add("secret part of a token", secret);
    },
    noteReceived(text) {
      received.push(text);
    },
    takeReceived() {
      const taken = received;
      received = [];
      return taken;
    },
  };
  return canaries;
}

/** Those of this test file: jest gives every file its own modules. */
export const canaries = createCanaries();

const isSecret = oncePerKey((field: DescField) => getOption(field, sensitive));

/** Also inside of a batch. */
function isAboutUsers({ parent }: DescField): boolean {
  return parent.file.name === "gatehouse/v1/user_service";
}

/** Returns JSON without the field at the path, in each entry where it leads through a list. */
function without(json: unknown, path: readonly string[]): unknown {
  if (Array.isArray(json)) return json.map((entry: unknown) => without(entry, path));
  const [first = "", ...rest] = path;
  if (typeof json !== "object" || json === null || !(first in json)) return json;
  const { [first]: inner, ...others } = json as Fields;
  return rest.length === 0 ? others : { ...others, [first]: without(inner, rest) };
}

function addSecret(to: Canaries, field: DescField, text: string): void {
  if (/^\d{8}$/.test(text)) to.addCode(text);
  else if (field.name === "token") to.noteAuthorization(`Bearer ${text}`);
  else if (field.name === "codes") to.addRecoveryCode(text);
  else to.add(field.name, text);
}

/** A URL with a password is refused; what refuses it must not say the password again. */
function addUrl(to: Canaries, text: string): void {
  const [, password] = /^[a-z]+:\/\/[^/@]*:([^/@]+)@/i.exec(text) ?? [];
  if (password !== undefined) to.add("password of a URL", password);
}

function addChallenge(to: Canaries, json: Readonly<Record<string, unknown>>): void {
  const options = json["publicKeyCredentialCreationOptions"] as
    | { readonly publicKey?: { readonly challenge?: string } }
    | undefined; // as WebAuthn has them
  const challenge = options?.publicKey?.challenge;
  if (challenge === undefined) return;
  to.add("u2f challenge", challenge);
  to.add("bytes of a u2f challenge", Buffer.from(challenge, "base64url"));
}

type Fields = Readonly<Record<string, unknown>>;
type Read = (field: DescField, fields: Fields) => unknown;

const fromJson: Read = (field, fields) => fields[field.jsonName];
const fromMessage: Read = (field, fields) => {
  if (field.oneof === undefined) return fields[field.localName];
  const chosen = fields[field.oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return chosen.case === field.localName ? chosen.value : undefined;
};

/** Calls back for each text field that is filled, also inside of messages. */
function visitTexts(
  desc: DescMessage,
  fields: Fields,
  read: Read,
  visit: (field: DescField, text: string) => void,
): void {
  if (desc.typeName.startsWith("google.protobuf.")) return;
  for (const field of desc.fields) {
    const value = read(field, fields);
    for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (typeof item === "string") visit(field, item);
      else if (field.message !== undefined && typeof item === "object" && item !== null)
        visitTexts(field.message, item as Fields, read, visit); // a message, or its JSON
    }
  }
}
