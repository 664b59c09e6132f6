import { isFormType } from "../../../kernel/http/bodies/form-type.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { ReturnRequest } from "./held-visit.ts";

/** Reads the form that a provider has made a browser post. Raises the refusal of another type of body, and of one over the limit. */
export async function readPostedForm(
  { exchange, ports }: ReturnRequest,
  maxBytes: number,
): Promise<URLSearchParams> {
  if (!isFormType(exchange.header("content-type"))) throw new PageRefusal("bad-request");
  const body = await ports.bodies.read(exchange, maxBytes);
  return new URLSearchParams(Buffer.from(body).toString("latin1"));
}
