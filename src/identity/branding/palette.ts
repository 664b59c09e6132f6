/** A color as `#` and six hexadecimal digits in lower case, such as `#1d4ed8`. */
export type Color = string;

/** The colors that a branding chooses for one theme. */
export interface ChosenColors {
  /** Of buttons and links. */
  readonly primary: Color;
  /** Of the ground that texts and fields stand on. */
  readonly background: Color;
  /** Of the text of problems. */
  readonly warn: Color;
  readonly font: Color;
}

/** All colors of a page. */
export interface Palette {
  /** Around the ground. */
  readonly page: Color;
  readonly card: Color;
  readonly text: Color;
  /** Of less important texts. */
  readonly quiet: Color;
  /** Of the borders of fields. */
  readonly line: Color;
  /** Of borders that only decorate. */
  readonly softLine: Color;
  readonly accent: Color;
  /** Of a button that the pointer is on. */
  readonly accentStrong: Color;
  readonly onAccent: Color;
  readonly wrong: Color;
  /** Behind the text of a problem. */
  readonly wrongPage: Color;
}

/** Two colors that cannot be told apart well enough, and the nearest ones that can. */
export interface LowContrast {
  readonly name: "primary" | "warn" | "font";
  readonly color: Color;
  readonly background: Color;
  readonly contrast: number;
  readonly nearestColor: Color;
  readonly nearestBackground: Color;
}

/** Of texts to their ground: WCAG 2.2, 1.4.3. */
const minTextContrast = 4.5;
/** Of borders that show where a field is: WCAG 2.2, 1.4.11. */
const minBorderContrast = 3;

/** Lists the colors that have too little contrast to the background. */
export function findLowContrasts(colors: ChosenColors): readonly LowContrast[] {
  const { background } = colors;
  return (["primary", "warn", "font"] as const).flatMap((name) => {
    const color = colors[name];
    const contrast = contrastOf(color, background);
    if (contrast >= minTextContrast) return [];
    const nearestColor = nearestTo(color, background);
    return [
      { name, color, background, contrast, nearestColor, nearestBackground: nearestTo(background, color) },
    ];
  });
}

/** Derives all colors of a page. Each text keeps the least contrast to each ground that it stands on. */
export function toPalette({ primary, background: card, warn, font }: ChosenColors): Palette {
  const pageShare = luminanceOf(card) > 0.2 ? 0.05 : 0.3;
  const isReadable = (ground: Color) => [font, primary].every((color) => isText(color, ground));
  const page = mixWhile(card, black, pageShare, isReadable);
  const onAccent = isText(white, primary) ? white : black;
  return {
    page,
    card,
    text: font,
    quiet: mixWhile(font, card, 0.35, (color) => isText(color, card) && isText(color, page)),
    line: mixWhile(font, card, 0.55, (color) => contrastOf(color, card) >= minBorderContrast),
    softLine: mix(font, card, 0.86),
    accent: primary,
    accentStrong: mixWhile(primary, font, 0.2, (color) => isText(onAccent, color)),
    onAccent,
    wrong: warn,
    wrongPage: mixWhile(card, warn, 0.08, (ground) => isText(warn, ground)),
  };
}

/** Returns the contrast of two colors, from 1 to 21: WCAG 2.2, "contrast ratio". */
export function contrastOf(one: Color, other: Color): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((left, right) => right - left);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

const white = "#ffffff";
const black = "#000000";
const steps = 255;

function isText(color: Color, ground: Color): boolean {
  return contrastOf(color, ground) >= minTextContrast;
}

/** Finds the nearest color on the ways to black and to white that has enough contrast; one of them always leads there. */
function nearestTo(color: Color, other: Color): Color {
  const found = [black, white].flatMap((end) => {
    const share = Array.from({ length: steps }, (_none, step) => (step + 1) / steps).find((each) =>
      isText(mix(color, end, each), other),
    );
    return share === undefined ? [] : [mix(color, end, share)];
  });
  const [nearest = black] = found.toSorted((left, right) => distance(color, left) - distance(color, right));
  return nearest;
}

/** Mixes as much of the other color in, up to `share`, as `suits`; nothing of it if no mixture suits. */
function mixWhile(color: Color, other: Color, share: number, suits: (mixed: Color) => boolean): Color {
  const parts = 20;
  const shares = Array.from({ length: parts }, (_none, index) => (share * (parts - index)) / parts);
  return shares.map((each) => mix(color, other, each)).find(suits) ?? color;
}

function mix(color: Color, other: Color, share: number): Color {
  const ends = toChannels(other);
  const mixed = toChannels(color).map((from, index) =>
    Math.round(from + ((ends[index] ?? 0) - from) * share),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

function distance(one: Color, other: Color): number {
  const ends = toChannels(other);
  return Math.hypot(...toChannels(one).map((channel, index) => channel - (ends[index] ?? 0)));
}

/** WCAG 2.2, "relative luminance". */
function luminanceOf(color: Color): number {
  const [red = 0, green = 0, blue = 0] = toChannels(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function toChannels(color: Color): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
