import { canaries } from "../../../support/canaries.ts";
import type { TestService } from "../../../support/service.ts";
import type { TestApplication } from "./application.ts";
import { credentialsOf, requestOf } from "./signed-in.ts";
import { type Fields, postForm, toForm } from "./machine.ts";

export const pushPath = "/oauth/v2/par";

/** Pushes a request of an application, good but for what the test says. */
export async function push(
  service: TestService,
  application: TestApplication,
  fields: Fields = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const form = { ...requestOf(application), ...credentialsOf(application), ...fields };
  const { status, headers: answered, text } = await postForm(service, pushPath, form, headers);
  const json = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const requestUri = typeof json["request_uri"] === "string" ? json["request_uri"] : "";
  if (requestUri !== "") canaries.add("request_uri", requestUri);
  return { status, headers: answered, json, error: json["error"], requestUri };
}

/** Writes the path by which a browser brings a reference. */
export function broughtPath(
  { clientId }: Pick<TestApplication, "clientId">,
  requestUri: string,
  more: Fields = {},
): string {
  return `/oauth/v2/authorize?${toForm({ client_id: clientId, request_uri: requestUri, ...more })}`;
}
