import { toEnum } from "../../api/enums.ts";
import { type Label, LabelTheme } from "../../../../gen/console/gatehouse/v1/label_policy_pb.ts";

/** The colors of a theme, as fields of requests. */
export const colorNames = ["primaryColor", "backgroundColor", "warnColor", "fontColor"] as const;
type ColorName = (typeof colorNames)[number];
type ColorField = `${"light" | "dark"}.${ColorName}`;

/** A branding as fields hold it. The theme is the text of its number. */
export type BrandingValues = Readonly<Record<ColorField, string>> & {
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
  };
}

/** Lists the fields whose values the service would not take. */
export function findBrandingFaults(values: BrandingValues): readonly (ColorField | "cornerRadius")[] {
  const colors = (["light", "dark"] as const).flatMap((theme) =>
    colorNames.map((name): ColorField => `${theme}.${name}`),
  );
  const bad = colors.filter((field) => !/^#[0-9a-f]{6}$/i.test(values[field]));
  return /^(?:1?\d|2[0-4])$/.test(values.cornerRadius) ? bad : [...bad, "cornerRadius"];
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
