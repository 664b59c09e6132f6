import { LabelImageKind, LabelTheme, type LabelColors } from "../../../gen/gatehouse/v1/label_policy_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import type { Call } from "../../kernel/base/call.ts";
import { toDetailsAnswer, toObjectDetails, toRemovalAnswer, valueName } from "../messages.ts";
import type { PolicyOwner } from "../policies/commands.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { LabelInForce, LabelPolicyCommands } from "./commands.ts";
import { defaultLabel, type LabelPolicy, type LabelSettings } from "./label-policy.ts";
import { checkLegalLinks, type LegalLinks } from "./legal-links.ts";
import { imagePathOf, previewPathOf } from "./paths.ts";
import type { ChosenColors } from "./palette.ts";

/** Maps the messages of LabelPolicyService to commands. */
export function createLabelPolicyService(commands: LabelPolicyCommands): ServiceImplementation {
  const get = (of: PolicyOwner) => ({ run: async (call: Call) => toAnswer(await commands.get(call, of)) });
  const update = (of: PolicyOwner) => ({
    check: checkLegalLinks,
    run: async (call: Call, request: UpdateRequest) =>
      toDetailsAnswer(await commands.update(call, of, toSettings(request))),
  });
  const setImage = (of: PolicyOwner) => ({
    run: async (
      call: Call,
      { kind, image }: { readonly kind: LabelImageKind; readonly image: Uint8Array },
    ) => {
      const name = valueName(LabelImageKind, kind) ?? "LOGO_LIGHT"; // the field rules let no other pass
      return toDetailsAnswer(await commands.setImage(call, of, name, image));
    },
  });
  const activate = (of: PolicyOwner) => ({
    run: async (call: Call) => toDetailsAnswer(await commands.activate(call, of)),
  });
  return implementService(LabelPolicyService, {
    getLabelPolicy: get("organization"),
    updateLabelPolicy: update("organization"),
    setLabelPolicyImage: setImage("organization"),
    activateLabelPolicy: activate("organization"),
    resetLabelPolicy: { run: async (call) => toRemovalAnswer(await commands.reset(call)) },
    getDefaultLabelPolicy: get("instance"),
    updateDefaultLabelPolicy: update("instance"),
    setDefaultLabelPolicyImage: setImage("instance"),
    activateDefaultLabelPolicy: activate("instance"),
  });
}

interface UpdateRequest extends LegalLinks {
  readonly light?: LabelColors;
  readonly dark?: LabelColors;
  readonly theme: LabelTheme;
  readonly cornerRadius?: number;
  readonly hideProductName: boolean;
}

function toSettings(request: UpdateRequest): LabelSettings {
  return {
    light: toColors(request.light, defaultLabel.light),
    dark: toColors(request.dark, defaultLabel.dark),
    theme: valueName(LabelTheme, request.theme) ?? defaultLabel.theme,
    cornerRadius: request.cornerRadius ?? defaultLabel.cornerRadius,
    hideProductName: request.hideProductName,
    links: toLinks(request),
  };
}

/** The links alone. */
function toLinks({ termsUrl, privacyUrl, helpUrl, supportEmail }: LegalLinks): LegalLinks {
  return { termsUrl, privacyUrl, helpUrl, supportEmail };
}

function toColors(colors: LabelColors | undefined, defaults: ChosenColors): ChosenColors {
  const toColor = (asked: string | undefined, color: string) => (asked || color).toLowerCase();
  return {
    primary: toColor(colors?.primaryColor, defaults.primary),
    background: toColor(colors?.backgroundColor, defaults.background),
    warn: toColor(colors?.warnColor, defaults.warn),
    font: toColor(colors?.fontColor, defaults.font),
  };
}

function toAnswer({ owner, label, details, isDefault, draft }: LabelInForce) {
  return {
    policy: {
      ...(details === undefined ? {} : { details: toObjectDetails(details) }),
      isDefault,
      label: toLabelMessage(label),
      ...(draft === undefined ? {} : { draft: toLabelMessage(draft) }),
      previewPath: previewPathOf(owner),
    },
  };
}

function toLabelMessage(policy: LabelPolicy) {
  return {
    light: toColorsMessage(policy.light),
    dark: toColorsMessage(policy.dark),
    theme: LabelTheme[policy.theme],
    cornerRadius: policy.cornerRadius,
    hideProductName: policy.hideProductName,
    ...policy.links,
    images: policy.images.map(({ kind, hash, contentType, width, height }) => ({
      kind: LabelImageKind[kind],
      path: imagePathOf(hash),
      contentType,
      width,
      height,
    })),
  };
}

function toColorsMessage({ primary, background, warn, font }: ChosenColors) {
  return { primaryColor: primary, backgroundColor: background, warnColor: warn, fontColor: font };
}
