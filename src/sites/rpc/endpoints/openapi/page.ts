import type { Cors } from "../../../../kernel/http/cors.ts";
import { createPages } from "../../../../kernel/http/pages.ts";
import type { Site } from "../../../../kernel/http/site.ts";

/** Creates the site of /openapi.json, which needs no token. All waiting answers share the bytes. */
export function createOpenApiPage(document: () => Promise<Uint8Array>, cors: Cors | undefined): Site {
  const headers = { "content-type": "application/json" };
  return createPages({
    name: "openapi",
    cors,
    admission: "open",
    pages: { "/openapi.json": { GET: async () => ({ status: 200, headers, body: await document() }) } },
  });
}
