import { expect, test } from "@jest/globals";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { usePlaces } from "./support/place.ts";

const root = pathToFileURL(join(import.meta.dirname, "../..")).href;
const probe = join(import.meta.dirname, "support/load-probe.ts");
const newPlace = usePlaces();

/** What some requests need, and no start. */
const later = [
  "gen/comments",
  "src/sites/rpc/endpoints/openapi/document",
  "src/sites/login/pages/",
  "src/sites/account/pages/",
  "src/sites/oidc/grants/",
  "src/kernel/xml/signatures/",
  "src/sites/saml/signatures/",
  "src/sites/federation/oidc/",
  "src/sites/federation/saml/",
  "node_modules/@opentelemetry/sdk-trace/",
  "node_modules/@opentelemetry/exporter-trace-otlp-proto/",
  "node_modules/@opentelemetry/resources/",
  "src/app/tracing/open-telemetry",
  "node_modules/nodemailer/",
  "node_modules/openid-client/",
  "node_modules/pg/",
];

test("a start loads no code of pages, protocols and documents", async () => {
  const serving = await newPlace().serve([], {}, { node: ["--import", probe] });
  const { child } = serving;
  const answer = once(child, "message");
  child.send("loaded");
  const [urls] = (await answer) as [readonly string[]]; // what the probe sends
  expect(urls).toContain(`${root}/src/app/services.ts`);
  expect(urls.filter((url) => later.some((path) => url.startsWith(`${root}/${path}`)))).toEqual([]);
  expect(await serving.stop()).toBe(0);
});
