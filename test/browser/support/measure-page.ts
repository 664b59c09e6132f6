import type { Page } from "playwright-core";

/** How a page looks. */
export interface Look {
  /** Of the whole page, in CSS pixels. */
  readonly width: number;
  readonly isDark: boolean;
  /** The contrast of each text with what is behind it (WCAG 2.2 §1.4.3). */
  readonly contrasts: readonly { readonly name: string; readonly ratio: number }[];
  /** What of a button changes slowly. */
  readonly transition: string;
  /** What a user of a screen reader would miss (WCAG 2.2 §1.3.1, §2.4.4, §4.1.2), such as a field without a label. */
  readonly faults: readonly string[];
}

/** Measures a page. */
export async function measurePage(page: Page): Promise<Look> {
  return await page.evaluate<Look>(script);
}

// A text: the types of a browser are not those of the tests.
const script = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element) => {
    if (element === null) return "rgb(255, 255, 255)";
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 0 ? backgroundOf(element.parentElement) : backgroundColor;
  };
  const texts = [...document.querySelectorAll("p, h1, h2, strong, span, label, legend, li, dt, dd, th, td, a, input:not([type=hidden]), select, button")]
    .filter((element) => element.checkVisibility());
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  const nameOf = (element) =>
    (element.getAttribute("aria-label") ?? [...(element.labels ?? [])].map((label) => label.textContent).join("") + element.textContent).trim();
  const faults = [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => "twice the id " + id),
    ...[...document.querySelectorAll("input:not([type=hidden]), select, button, a")]
      .filter((element) => element.checkVisibility() && nameOf(element) === "")
      .map((element) => "no name: " + element.outerHTML),
    ...[...document.querySelectorAll("[aria-describedby], [aria-labelledby]")]
      .flatMap((element) => [element.getAttribute("aria-describedby"), element.getAttribute("aria-labelledby")])
      .flatMap((text) => (text ?? "").split(" "))
      .filter((id) => id !== "" && document.getElementById(id) === null)
      .map((id) => "describes nothing: " + id),
    ...[...document.querySelectorAll("img, svg:not([aria-hidden=true])")]
      .filter((image) => !image.hasAttribute("alt") && !image.hasAttribute("aria-label") && !image.hasAttribute("aria-labelledby"))
      .map((image) => "no alternative: " + image.outerHTML.slice(0, 100)),
    ...(document.querySelectorAll("h1").length === 1 ? [] : ["not one heading"]),
    ...(document.querySelectorAll("main").length === 1 ? [] : ["not one main"]),
    ...(document.documentElement.lang === "" ? ["no language"] : []),
  ];
  return {
    width: document.documentElement.scrollWidth,
    isDark: luminance(backgroundOf(document.querySelector("main"))) < 0.2,
    contrasts: texts.map((element) => {
      const pair = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))];
      const [dark, light] = pair.toSorted((left, right) => left - right);
      return { name: element.tagName + " " + element.className, ratio: (light + 0.05) / (dark + 0.05) };
    }),
    transition: [...document.querySelectorAll("button")].map((button) => getComputedStyle(button).transitionProperty).join(),
    faults,
  };
})()`;
