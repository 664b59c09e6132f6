import type { BodyReader } from "../../kernel/http/bodies/body.ts";
import { isFormType } from "../../kernel/http/bodies/form-type.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import { PageRefusal } from "./page-refusal.ts";

/** The fields of a form, each with its one value. */
export type PageForm = ReadonlyMap<string, string>;

const maxBytes = 65_536;

/** Reads the form of a request. Raises the refusal of a request for anything but a form in UTF-8 without repeated fields. */
export async function readPageForm(
  exchange: Pick<Exchange, "header" | "body">,
  bodies: BodyReader,
): Promise<PageForm> {
  if (!isFormType(exchange.header("content-type"))) throw new PageRefusal("bad-request");
  const body = await bodies.read(exchange, maxBytes);
  const form = new Map<string, string>();
  for (const pair of decode(() => new TextDecoder("utf-8", { fatal: true }).decode(body)).split("&")) {
    if (pair === "") continue;
    const equals = pair.includes("=") ? pair.indexOf("=") : pair.length;
    const [name = "", value = ""] = [pair.slice(0, equals), pair.slice(equals + 1)].map((part) =>
      decode(() => decodeURIComponent(part.replaceAll("+", " "))),
    );
    if (form.has(name)) throw new PageRefusal("bad-request");
    form.set(name, value);
  }
  return form;
}

function decode(work: () => string): string {
  try {
    return work();
  } catch {
    throw new PageRefusal("bad-request");
  }
}
