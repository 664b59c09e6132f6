import { escapeHtml } from "../../../kernel/base/escape-html.ts";

/** A piece of HTML that is safe to stand in a page. Only `html` makes it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What can stand in a template. Undefined and false stand for nothing. */
export type HtmlValue = string | number | Markup | readonly Markup[] | undefined | false;

/**
 * Makes HTML of a template. Texts in it are escaped, so that they stand between tags and in attributes with double quotes, and
 * nowhere else.
 */
export function html(parts: readonly string[], ...values: readonly HtmlValue[]): Markup {
  return new Markup(
    parts.map((part, index) => `${index === 0 ? "" : toHtml(values[index - 1])}${part}`).join(""),
  );
}

/**
 * Makes HTML of a name that people gave, isolated (`<bdi>`): it changes the direction of nothing around it. An older name may have
 * isolates of its own, which could end ours, so these are left out.
 */
export function isolate(name: string): Markup {
  return html`<bdi>${name.replaceAll(/[\u2066-\u2069]/g, "")}</bdi>`;
}

/** Makes text, for a title of the browser, of HTML that has only isolated names in it. It is still escaped. */
export function withoutIsolates(markup: Markup): Markup {
  return new Markup(markup.toString().replaceAll(/<\/?bdi>/g, ""));
}

function toHtml(value: HtmlValue): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.toString();
  if (typeof value === "object") return value.join("");
  return escapeHtml(String(value));
}
