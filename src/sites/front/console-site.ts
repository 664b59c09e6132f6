import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Problem } from "../../kernel/base/problem.ts";
import { consoleCallback, consolePath, consoleTokensPath } from "../../identity/applications/oidc/console.ts";
import { methodNotAllowed } from "../../kernel/http/errors/refusals.ts";
import type { AnswerHeaders, Exchange } from "../../kernel/http/exchanges/exchange.ts";
import { type Reply, reply } from "../../kernel/http/exchanges/reply.ts";
import type { Site } from "../../kernel/http/site.ts";
import { redirectToIssuer } from "../login/issuer-origin.ts";
import {
  type ConsoleFile,
  type ConsoleFiles,
  consoleHeaders,
  hashedFolder,
  headersOfFile,
} from "./console-files.ts";
import { chooseCoding, isTagNamed } from "./negotiation.ts";

/** What the site of the console is made of. */
export interface ConsoleSiteOptions {
  /** Returns the issuer; undefined when nobody can sign in, and then there is no console. */
  readonly issuer: () => string | undefined;
  /** Where the built files are. Default: where the build puts them. */
  readonly folder?: string | undefined;
  /** Makes the problem of a path that there is not. */
  readonly pathUnknown: () => Problem;
}

const verbs = ["GET", "HEAD"];
const root = consolePath.slice(0, -1);

/**
 * Creates the site of the console: its files, and its page for every path below that is no file, because the page itself reads the
 * path. Nothing is read from the disk before the first request.
 */
export function createConsoleSite(options: ConsoleSiteOptions): Site {
  const { folder = builtFolder(), pathUnknown } = options;
  let reading: Promise<ConsoleFiles | undefined> | undefined;
  /** Files that were not built yet are looked for again. */
  const load = async (): Promise<ConsoleFiles | undefined> => {
    reading ??= import("./console-files.ts").then(({ readConsoleFiles }) => readConsoleFiles(folder));
    try {
      const files = await reading;
      if (files === undefined) reading = undefined;
      return files;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  };
  return {
    name: "console",
    paths: [root, `${root}/*`],
    cors: undefined,
    admission: "call",
    async handle(exchange) {
      const issuer = options.issuer();
      if (issuer === undefined) throw pathUnknown();
      if (!verbs.includes(exchange.verb)) throw methodNotAllowed(verbs);
      const answer = await answerRequest(exchange, { issuer, load, pathUnknown });
      reply(exchange, answer);
      return { operation: consolePath, protocol: "http", code: answer.status < 400 ? 0 : answer.status };
    },
  };
}

/** Beside `dist/src` in the package, and in `dist` of the repository. */
function builtFolder(): string {
  const fromHere = extname(import.meta.url) === ".ts" ? "../../../dist/console" : "../../../console";
  return fileURLToPath(new URL(fromHere, import.meta.url));
}

async function answerRequest(
  exchange: Exchange,
  {
    issuer,
    load,
    pathUnknown,
  }: {
    readonly issuer: string;
    readonly load: () => Promise<ConsoleFiles | undefined>;
    readonly pathUnknown: () => Problem;
  },
): Promise<Reply> {
  if (exchange.path === root) return { status: 308, headers: { ...consoleHeaders, location: consolePath } };
  const path = exchange.path.slice(consolePath.length);
  const files = await load();
  const file = files?.find(path);
  if (file !== undefined && file !== files?.index) return toFileReply(exchange, file, headersOfFile(file));
  // A file that a page of an earlier build asks for is not there any more: the page of this one is no script.
  if (path.startsWith(hashedFolder)) throw pathUnknown();
  const elsewhere = redirectToIssuer(exchange, issuer);
  if (elsewhere !== undefined) return elsewhere;
  if (files !== undefined)
    return toFileReply(exchange, files.index, { ...consoleHeaders, link: linksOf(files, path) });
  const { renderNotBuilt } = await import("./pages.ts");
  return renderNotBuilt(exchange);
}

/**
 * Names what the page at this path asks for next (RFC 8288), so that the browser asks for all of it at once: its code, and the tokens
 * unless a login is just answered.
 */
function linksOf(files: ConsoleFiles, path: string): string {
  const code = files.codeOf(path).map((file) => `<${consolePath}${file}>; rel=modulepreload`);
  const tokens = `<${consoleTokensPath}>; rel=preload; as=fetch; crossorigin`;
  return [...(path === consoleCallback ? [] : [tokens]), ...code].join(", ");
}

/** Answers a file in the form that the browser takes, or that it has it already (RFC 9110 §15.4.5). */
function toFileReply(exchange: Exchange, file: ConsoleFile, more: Readonly<AnswerHeaders>): Reply {
  const coding = chooseCoding(
    exchange.header("accept-encoding"),
    (each) => file.compressed[each] !== undefined,
  );
  const bytes = (coding && file.compressed[coding]) ?? file.bytes;
  const etag = `"${file.digest}${coding === undefined ? "" : `-${coding}`}"`;
  const headers = {
    ...more,
    "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    etag,
    vary: "accept-encoding",
  };
  if (isTagNamed(exchange.header("if-none-match"), etag))
    return { status: 304, headers: { ...headers, "content-length": String(bytes.length) } };
  return {
    status: 200,
    headers: {
      ...headers,
      "content-type": file.type,
      ...(coding === undefined ? {} : { "content-encoding": coding }),
    },
    body: bytes,
  };
}
