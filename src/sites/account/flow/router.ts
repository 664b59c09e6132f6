import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import { methodNotAllowed } from "../../../kernel/http/errors/refusals.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { hashCookie } from "../../login/cookies/cookies.ts";
import { readSessionCookie, readSessionValue } from "../../login/cookies/session-cookies.ts";
import { requireOwnForm } from "../../login/form-token.ts";
import { accountPath, organizationParameter } from "../../login/standalone/account-path.ts";
import { isPartialPath } from "../../login/standalone/logout-outcome.ts";
import { redirectToIssuer } from "../../login/issuer-origin.ts";
import { redirectTo } from "../../login/layout.ts";
import { doesSessionSuffice } from "../../login/flow/session-suffices.ts";
import type { PageLabel } from "../../login/brand/brand-markup.ts";
import { chooseLanguage } from "../../login/texts/choose-texts.ts";
import { findLoginUser } from "../../login/login-users.ts";
import { type PageForm, readPageForm } from "../../login/page-form.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { readLook } from "../../../identity/branding/brands.ts";
import type { Organization } from "../../../identity/organizations/organization.ts";
import { findOrganization } from "../../../identity/organizations/repository.ts";
import { findLiveSession } from "../../../identity/logins/sessions/repository.ts";
import { toAccountLogin, toNewAccountLogin } from "../account-logins.ts";
import type { AccountPage, AccountPorts, AccountVisit } from "../account-page.ts";
import { findAccountPage, looksLikeId } from "./pages.ts";
import { refusedPath, signedOutPath } from "../path.ts";
import { checkRecentLogin } from "../recent-login.ts";
import {
  renderOutdatedForm,
  renderRefused,
  renderSignedOut,
  renderTooWeakLogin,
  toRender,
} from "../render.ts";
import { SessionEnded, toSessionCall } from "../session-call.ts";
import { type AccountWords, toAccountWords } from "../texts/choose-texts.ts";

/** A request for a page of the account, before it is known whose. */
interface AccountRequest {
  readonly ports: AccountPorts;
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly page: AccountPage;
  /** As the page table has it. */
  readonly path: string;
  readonly id: string;
}

/** Answers a request at `/account` or below. */
export type AccountRouter = (
  exchange: Exchange,
  issuer: string,
) => Promise<{ readonly operation: string; readonly answer: Reply }>;

/** Creates the router of the pages. It raises the refusal of unknown paths, and METHOD_NOT_ALLOWED. */
export function createAccountRouter(ports: AccountPorts): AccountRouter {
  return async (exchange, issuer) => {
    const elsewhere = redirectToIssuer(exchange, issuer);
    const found = findAccountPage(exchange.path);
    const open = found === undefined ? openPages.get(exchange.path) : undefined;
    if (found === undefined && open === undefined) throw new PageRefusal("not-found");
    const verbs = verbsOf(found?.page);
    if (!verbs.includes(exchange.verb)) throw methodNotAllowed(verbs);
    if (open !== undefined)
      return { operation: exchange.path, answer: elsewhere ?? (await open({ ports, exchange, issuer })) };
    if (found === undefined) throw new PageRefusal("not-found");
    const { operation } = found;
    return { operation, answer: elsewhere ?? (await answer({ ...found, ports, exchange, issuer })) };
  };
}

/** GET of a page may begin a login, or what the page is about. HEAD must change nothing (RFC 9110 §9.2.1). */
function verbsOf(page: AccountPage | undefined): readonly string[] {
  if (page === undefined) return ["GET", "HEAD"];
  return page.submit === undefined ? ["GET"] : ["GET", "POST"];
}

/** The pages that need no session. */
const openPages: ReadonlyMap<string, (request: OpenRequest) => Promise<Reply>> = new Map([
  [refusedPath, async ({ ports, exchange }: OpenRequest) => renderRefused(ports, exchange)],
  [signedOutPath, showSignedOut],
]);

type OpenRequest = Pick<AccountRequest, "ports" | "exchange" | "issuer">;

/** A link must not make us say to somebody with a session that it has ended. */
async function showSignedOut(request: OpenRequest): Promise<Reply> {
  const { ports, exchange, issuer } = request;
  const { database, clock } = ports.context;
  const hash = readSessionCookie(exchange, issuer);
  const live = hash && (await database.read((tx) => findLiveSession(tx, hash, clock.nowMs())));
  if (live !== undefined) return redirectTo(`${issuer}${accountPath}`);
  const organization = await findAskedOrganization(request);
  const { label, chosen } = await database.read((tx) => readAccountLook(tx, request, organization));
  return renderSignedOut(ports, chosen, {
    organizationId: organization?.id,
    label,
    isPartial: isPartialPath(exchange),
    cookies: [],
  });
}

async function answer(request: AccountRequest): Promise<Reply> {
  const { exchange, issuer, path } = request;
  try {
    return await (exchange.verb === "POST" ? submit(request) : show(request));
  } catch (error) {
    // The page shows what is the matter: somebody has to log in, or to do so again.
    if (error instanceof SessionEnded || isLoginTooOld(error)) return redirectTo(`${issuer}${path}`);
    if (error instanceof Problem && error.kind === "not-found") throw new PageRefusal("not-found");
    throw error;
  }
}

async function show(request: AccountRequest): Promise<Reply> {
  const { ports, exchange, issuer, page, path } = request;
  const visit = await openVisit(request);
  if (visit === undefined) {
    const organization = await findAskedOrganization(request);
    return await ports.logins.begin(exchange, issuer, toAccountLogin(path, organization?.id));
  }
  if (page.isGuarded !== true) return await page.show(visit);
  switch (await checkRecentLogin(visit)) {
    case "good":
      return await page.show(visit);
    case "too-old":
      return await ports.logins.begin(exchange, issuer, toNewAccountLogin(path, visit.user));
    case "too-weak":
      return renderTooWeakLogin(visit);
  }
}

/** Finds the organization that the link names, whose ways to log in are offered. One that lets nobody in is as none. */
async function findAskedOrganization({ ports, exchange }: OpenRequest): Promise<Organization | undefined> {
  const asked = new URLSearchParams(exchange.query).get(organizationParameter);
  if (asked === null || !looksLikeId(asked)) return undefined;
  const { database } = ports.context;
  const found = await database.read((tx) => findOrganization(tx, toId<OrganizationId>(asked)));
  return found?.state === "ACTIVE" ? found : undefined;
}

/** Finds out how a page looks and speaks for users of an organization; undefined: for anybody. */
async function readAccountLook(
  tx: ReadTransaction,
  { ports, exchange }: Pick<OpenRequest, "ports" | "exchange">,
  organization: Pick<Organization, "id" | "name"> | undefined,
): Promise<{ readonly label: PageLabel | undefined; readonly chosen: AccountWords }> {
  const preferred = chooseLanguage({ acceptLanguage: exchange.header("accept-language") });
  const asked = { language: preferred, organizationId: organization?.id };
  const { brand, language } = await readLook(tx, ports.logins.brands, asked);
  return { label: brand && { organization, brand }, chosen: toAccountWords(language) };
}

/** Without a session there is nobody whose form it could be: the page asks for one. */
async function submit(request: AccountRequest): Promise<Reply> {
  const { ports, exchange, issuer, page, path } = request;
  const form = await readPageForm(exchange, ports.bodies);
  const visit = await openVisit(request);
  if (visit === undefined || page.submit === undefined) return redirectTo(`${issuer}${path}`);
  if (!isOwnForm(exchange, form, visit)) return renderOutdatedForm(visit);
  if (page.isGuarded === true && (await checkRecentLogin(visit)) !== "good")
    return redirectTo(`${issuer}${path}`);
  return await page.submit(visit, form);
}

/**
 * Finds the session of the browser and whose it is; undefined without one by which a login would end at once: the user may have got
 * a second factor since, or a policy may not allow any more what was proved in it.
 */
async function openVisit(request: AccountRequest): Promise<AccountVisit | undefined> {
  const { ports, exchange, issuer, page, path, id } = request;
  const { context } = ports;
  const cookie = readSessionValue(exchange, issuer);
  if (cookie === undefined) return undefined;
  const hash = hashCookie(cookie);
  const nowMs = context.clock.nowMs();
  const found = await context.database.read(async (tx) => {
    const session = await findLiveSession(tx, hash, nowMs);
    const user = session && (await findLoginUser(tx, session.user.id));
    if (session === undefined || user === undefined) return undefined;
    const asked = {
      ports,
      issuer,
      nowMs,
      sessionHash: hash,
      request: toAccountLogin(path, user.organization.id),
    };
    if (page.takesAnySession !== true && !(await doesSessionSuffice(tx, session, asked))) return undefined;
    const look = await readAccountLook(tx, request, user.organization);
    return { session, user, ...look, call: await toSessionCall(tx, context, { exchange, session, hash }) };
  });
  if (found === undefined) return undefined;
  const { chosen, ...rest } = found;
  return {
    ...rest,
    ...chosen,
    exchange,
    issuer,
    ports,
    cookie,
    path,
    id,
    render: toRender(ports.layout, exchange, { ...chosen, label: found.label, path }),
  };
}

/** A form of another session is not our own either: the form may have been filled in for another account. */
function isOwnForm(exchange: Exchange, form: PageForm, { cookie }: Pick<AccountVisit, "cookie">): boolean {
  try {
    requireOwnForm(exchange, form, cookie);
    return true;
  } catch (error) {
    if (error instanceof PageRefusal && error.kind === "foreign-form") return false;
    throw error;
  }
}

function isLoginTooOld(error: unknown): boolean {
  return error instanceof Problem && error.reason === "REAUTHENTICATION_REQUIRED";
}
