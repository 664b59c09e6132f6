import type { LabelPolicy, LabelTheme } from "../../../identity/branding/label-policy.ts";
import { type Palette, toPalette } from "../../../identity/branding/palette.ts";
import { html, type Markup } from "../markup/html.ts";

const variables: Readonly<Record<keyof Palette, string>> = {
  page: "--page",
  card: "--card",
  text: "--text",
  quiet: "--quiet",
  line: "--line",
  softLine: "--soft-line",
  accent: "--accent",
  accentStrong: "--accent-strong",
  onAccent: "--on-accent",
  wrong: "--wrong",
  wrongPage: "--wrong-page",
};

const schemes: Readonly<Record<LabelTheme, string>> = {
  AUTO: "light dark",
  LIGHT: "only light",
  DARK: "only dark",
};

/** Makes the style that gives a page the colors and corners of a branding: the variables of `login.css`. */
export function toBrandStyle({ light, dark, theme, cornerRadius }: LabelPolicy): Markup {
  const [ofLight, ofDark] = [toPalette(light), toPalette(dark)];
  const colors = (Object.keys(variables) as (keyof Palette)[]) // its keys are those of the type above
    .map((name) => html`${variables[name]}:light-dark(${ofLight[name]},${ofDark[name]});`);
  return html`:root{color-scheme:${schemes[theme]};${colors}--radius:${cornerRadius}px}`;
}
