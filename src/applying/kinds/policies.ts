import { equals, type JsonObject } from "@bufbuild/protobuf";
import { CustomTextsSchema } from "../../../gen/gatehouse/v1/custom_text_pb.ts";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import {
  type LabelPolicy,
  LabelPolicySchema,
  LabelSchema,
} from "../../../gen/gatehouse/v1/label_policy_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { LoginPolicyIdpSchema, LoginPolicySchema } from "../../../gen/gatehouse/v1/login_policy_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { listAll } from "../../client/client.ts";
import { languages } from "../../identity/texts/languages.ts";
import { ConfigurationError } from "../reading/configuration-error.ts";
import { collect } from "../reading/reader.ts";
import type { ObjectKind } from "./object-kind.ts";
import { flatten, toStored } from "./stored.ts";

const single = { form: "one", names: [], order: 50 } as const;

const loginPolicyIdps: ObjectKind = {
  key: "idps",
  noun: "offered identity provider",
  form: "names",
  names: ["idp_id"],
  add: "addIdpToLoginPolicy",
  updates: [],
  remove: "removeIdpFromLoginPolicy",
  order: 60,
  children: [],
  async read(reader, { organizationId }) {
    const service = reader.in(organizationId, LoginPolicyService);
    const all = await collect(listAll(service.listLoginPolicyIdps, {}));
    return all.map((idp) => toStored(LoginPolicyIdpSchema, idp));
  },
};

/** Returns the login policy of organizations, or the default. What a new one does not say is as it is in force. */
export function loginPolicyOf(owner: "organization" | "instance"): ObjectKind {
  const isDefault = owner === "instance";
  return {
    ...single,
    key: "login_policy",
    noun: "login policy",
    updates: [isDefault ? "updateDefaultLoginPolicy" : "updateLoginPolicy"],
    children: isDefault ? [] : [loginPolicyIdps],
    async read(reader, place) {
      const service = reader.in(place.isNew ? "" : place.organizationId, LoginPolicyService);
      const { policy } = await (isDefault || place.isNew
        ? service.getDefaultLoginPolicy({})
        : service.getLoginPolicy({}));
      if (policy === undefined) return [];
      const isThere = policy.details !== undefined && (isDefault || !(policy.isDefault || place.isNew));
      const stored = toStored(LoginPolicySchema, policy);
      return [{ ...stored, sequence: isThere ? stored.sequence : undefined, isThere }];
    },
  };
}

/** Returns the branding of organizations, or the default: what is live. */
export function labelPolicyOf(owner: "organization" | "instance"): ObjectKind {
  const isDefault = owner === "instance";
  return {
    ...single,
    key: "branding",
    noun: "branding",
    updates: [isDefault ? "updateDefaultLabelPolicy" : "updateLabelPolicy"],
    finish: isDefault ? "activateDefaultLabelPolicy" : "activateLabelPolicy",
    children: [],
    async read(reader, place) {
      const service = reader.in(place.isNew ? "" : place.organizationId, LabelPolicyService);
      const { policy } = await (isDefault || place.isNew
        ? service.getDefaultLabelPolicy({})
        : service.getLabelPolicy({}));
      if (policy === undefined) return [];
      const isThere = policy.details !== undefined && (isDefault || !(policy.isDefault || place.isNew));
      if (!place.isNew) requireLive(policy, place.label);
      const stored = toStored(LabelPolicySchema, policy);
      const settings = flatten(stored.settings, "label");
      return [{ ...stored, sequence: isThere ? stored.sequence : undefined, settings, isThere }];
    },
  };
}

/** Throws ConfigurationError for somebody's draft, which applying a branding would replace or make live. */
function requireLive({ label, draft }: LabelPolicy, where: string): void {
  if (label === undefined || draft === undefined || equals(LabelSchema, label, draft)) return;
  throw new ConfigurationError(
    `${where} has a draft of its branding that is not live; activate it, or make it as it is`,
  );
}

/** Returns the changed texts of organizations, or those of the instance: a mapping of languages to mappings of keys to texts. */
export function textsOf(owner: "organization" | "instance"): ObjectKind {
  const isDefault = owner === "instance";
  return {
    key: "texts",
    noun: "texts",
    form: "map",
    names: ["language"],
    inline: "texts",
    pairs: { texts: ["key", "text"] },
    updates: [isDefault ? "setDefaultCustomTexts" : "setCustomTexts"],
    ...(isDefault ? {} : { remove: "resetCustomTexts" }),
    order: 50,
    children: [],
    async read(reader, { organizationId }, names = languages.map(({ tag }) => tag)) {
      const service = reader.in(organizationId, CustomTextService);
      const found = [];
      for (const language of names) {
        if (!languages.some(({ tag }) => tag === language)) continue;
        const { texts } = await (isDefault
          ? service.getDefaultCustomTexts({ language })
          : service.getCustomTexts({ language }));
        if (texts?.details === undefined) continue;
        const { settings, ...rest } = toStored(CustomTextsSchema, texts);
        const changed = (settings["texts"] as readonly JsonObject[]) // of CustomTexts
          .filter(({ text }) => text !== "")
          .map(({ key = "", text = "" }) => ({ key, text }));
        found.push({ ...rest, settings: { language, texts: changed } });
      }
      return found;
    },
  };
}
