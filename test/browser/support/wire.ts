import type { BrowserContext, Request } from "playwright-core";

/** What went over the wire of a profile of the browser. */
export interface Wire {
  /** The names of the rpcs that were called over gRPC-web, such as `UserService/GetMyUser`. */
  readonly called: ReadonlySet<string>;
  /** How many pages, scripts, styles and pictures came. */
  countFiles(): number;
  /** Whatever is none of the kinds that a console may send, in words. */
  readonly strange: readonly string[];
  /** What the content security policy reported in any page, and pages that came without a policy. */
  readonly breaches: readonly string[];
}

const rpcPath = /^\/gatehouse\.v1\.(\w+\/\w+)$/;
const grpcWeb = /^application\/grpc-web(?:\+proto)?$/;
/** Signing in: the pages of the login, and the endpoints of OpenID Connect and OAuth. */
const loginPath = /^\/(?:login\/|oauth\/v2\/|\.well-known\/openid-configuration$)/;
const filePath = /^\/(?:console(?:\/|$)|$)/;

/** Listens to a profile. It has to be done before the first page is opened. */
export async function listenToWire(context: BrowserContext, origin: string): Promise<Wire> {
  const called = new Set<string>();
  const strange: string[] = [];
  const breaches: string[] = [];
  let files = 0;
  context.on("request", (request) => {
    const { pathname, origin: asked } = new URL(request.url());
    const words = `${request.method()} ${request.url()}`;
    const rpc = rpcPath.exec(pathname)?.[1];
    if (asked !== origin) strange.push(words);
    else if (rpc !== undefined) {
      called.add(rpc);
      const type = request.headers()["content-type"] ?? "none";
      if (request.method() !== "POST" || !grpcWeb.test(type)) strange.push(`${words} as ${type}`);
    } else if (filePath.test(pathname) && request.method() === "GET") files += 1;
    else if (!loginPath.test(pathname)) strange.push(words);
  });
  context.on("response", (response) => {
    const { pathname } = new URL(response.url());
    const type = response.headers()["content-type"] ?? "none";
    if (rpcPath.test(pathname) && !grpcWeb.test(type)) strange.push(`${response.url()} answered ${type}`);
    if (isPage(response.request()) && response.headers()["content-security-policy"] === undefined) {
      if (response.status() === 200) breaches.push(`${response.url()} has no content security policy`);
    }
  });
  await context.exposeFunction("reportBreach", (breach: string) => breaches.push(breach));
  await context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    reportBreach(event.violatedDirective + " " + event.blockedURI + " on " + event.documentURI));`);
  return { called, strange, breaches, countFiles: () => files };
}

function isPage(request: Request): boolean {
  return request.resourceType() === "document";
}
