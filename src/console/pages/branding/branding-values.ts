import { type CallProblem, toFieldName } from "../../api/call-problem.ts";
import { toEnum } from "../../api/enums.ts";
import { type Label, LabelTheme } from "../../../../gen/console/gatehouse/v1/label_policy_pb.ts";

/** The colors of a theme, as fields of requests. */
export const colorNames = ["primaryColor", "backgroundColor", "warnColor", "fontColor"] as const;
type ColorName = (typeof colorNames)[number];
/** The links at the foot of pages and emails, as fields of requests. */
export const urlNames = ["termsUrl", "privacyUrl", "helpUrl"] as const;
type LinkField = (typeof urlNames)[number] | "supportEmail";
type ColorField = `${"light" | "dark"}.${ColorName}`;

/** A branding as fields hold it. The theme is the text of its number. */
export type BrandingValues = Readonly<Record<ColorField | LinkField, string>> & {
  readonly theme: string;
  readonly cornerRadius: string;
  readonly hideProductName: boolean;
};

/** Returns the values of a branding. */
export function toBrandingValues(label: Label): BrandingValues {
  const colors = (["light", "dark"] as const).flatMap((theme) =>
    colorNames.map((name) => [`${theme}.${name}`, label[theme]?.[name] ?? ""] as const),
  );
  return {
    ...(Object.fromEntries(colors) as Record<ColorField, string>), // both lists are whole
    theme: String(label.theme),
    cornerRadius: String(label.cornerRadius),
    hideProductName: label.hideProductName,
    termsUrl: label.termsUrl,
    privacyUrl: label.privacyUrl,
    helpUrl: label.helpUrl,
    supportEmail: label.supportEmail,
  };
}

/** Returns the values as requests have them. */
export function toBrandingRequest(values: BrandingValues) {
  const colorsOf = (theme: "light" | "dark") => ({
    primaryColor: values[`${theme}.primaryColor`],
    backgroundColor: values[`${theme}.backgroundColor`],
    warnColor: values[`${theme}.warnColor`],
    fontColor: values[`${theme}.fontColor`],
  });
  return {
    light: colorsOf("light"),
    dark: colorsOf("dark"),
    theme: toEnum(LabelTheme, values.theme),
    cornerRadius: Number(values.cornerRadius),
    hideProductName: values.hideProductName,
    termsUrl: values.termsUrl.trim(),
    privacyUrl: values.privacyUrl.trim(),
    helpUrl: values.helpUrl.trim(),
    supportEmail: values.supportEmail.trim(),
  };
}

/** A field whose value can be wrong in a way that no rule of the request says. */
export type BrandingFault = ColorField | (typeof urlNames)[number] | "cornerRadius";

/** Lists the fields whose values the service would not take. */
export function findBrandingFaults(values: BrandingValues): readonly BrandingFault[] {
  const colors = (["light", "dark"] as const).flatMap((theme) =>
    colorNames.map((name): ColorField => `${theme}.${name}`),
  );
  const badColors = colors.filter((field) => !/^#[0-9a-f]{6}$/i.test(values[field]));
  const badUrls = urlNames.filter(
    (name) => !/^(?:https:\/\/[^/?#@\s\\][^#\s\\]*)?$/i.test(values[name].trim()),
  );
  const isRound = /^(?:1?\d|2[0-4])$/.test(values.cornerRadius);
  return [...badColors, ...badUrls, ...(isRound ? [] : (["cornerRadius"] as const))];
}

/** Finds the nearest color that people can read, if the service has refused this field first for its contrast. */
export function findNearestColor(refusal: CallProblem | undefined, field: ColorField): string | undefined {
  if (refusal?.reason !== "CONTRAST_TOO_LOW") return undefined;
  return toFieldName(refusal.metadata["field"] ?? "") === field
    ? refusal.metadata["nearest_color"]
    : undefined;
}

/** Makes the query of the preview that shows these values, saved or not. */
export function toPreviewQuery(values: BrandingValues, scheme: string): string {
  const query = new URLSearchParams({
    theme: scheme,
    radius: values.cornerRadius,
    hide: String(values.hideProductName),
  });
  for (const theme of ["light", "dark"] as const)
    for (const name of colorNames)
      query.set(`${theme}.${name.replace("Color", "")}`, values[`${theme}.${name}`]);
  return query.toString();
}
