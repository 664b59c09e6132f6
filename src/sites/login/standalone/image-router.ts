import { imagesPath } from "../../../identity/branding/paths.ts";
import { findImage } from "../../../identity/branding/repository.ts";
import type { Database } from "../../../kernel/base/database.ts";
import { methodNotAllowed } from "../../../kernel/http/errors/refusals.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { PageRefusal } from "../page-refusal.ts";

const verbs = ["GET", "HEAD"];

/**
 * Headers of each image. Callers have sent them, so that no browser may take one for anything else, or run what could be in it, even
 * where it is opened by itself. Mail programs and pages of other origins show them.
 */
const imageHeaders = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
};

/** Creates the router of the images of brandings. Each has the path of its hash. */
export function createImageRouter({
  context: { database },
}: {
  readonly context: { readonly database: Pick<Database, "read"> };
}) {
  return async (exchange: Exchange): Promise<{ readonly operation: string; readonly answer: Reply }> => {
    if (!verbs.includes(exchange.verb)) throw methodNotAllowed(verbs);
    const hash = exchange.path.slice(imagesPath.length);
    const isHash = /^[0-9a-f]{64}$/.test(hash);
    const image = isHash ? await database.read((tx) => findImage(tx, hash)) : undefined;
    if (image === undefined) throw new PageRefusal("not-found");
    const headers = { ...imageHeaders, "content-type": image.contentType };
    return { operation: `${imagesPath}{hash}`, answer: { status: 200, headers, body: image.bytes } };
  };
}
