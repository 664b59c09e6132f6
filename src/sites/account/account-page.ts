import type { Call } from "../../kernel/base/call.ts";
import type { Secret } from "../../kernel/base/secret.ts";
import type { FeatureContext } from "../../identity/context.ts";
import type { SessionCommands } from "../../identity/logins/sessions/commands.ts";
import type { LiveSession } from "../../identity/logins/sessions/session.ts";
import type { UserServiceCommands } from "../../identity/user-service/commands.ts";
import type { PasskeyLogins } from "../../identity/factors/passkeys/login-commands.ts";
import type { FactorLogins } from "../../identity/factors/second-factors/login-commands.ts";
import type { CodeLogins } from "../../identity/factors/code-factors/login-commands.ts";
import type { TotpLogins } from "../../identity/factors/totp/login-commands.ts";
import type { BodyReader } from "../../kernel/http/bodies/body.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import type { PageLabel } from "../login/brand/brand-markup.ts";
import type { BrowserLogouts } from "../login/standalone/browser-logouts.ts";
import type { Markup } from "../login/markup/html.ts";
import type { Layout, PageContent } from "../login/layout.ts";
import type { LoginUser } from "../login/login-state.ts";
import type { Logins } from "../login/logins.ts";
import type { PageForm } from "../login/page-form.ts";
import type { Texts } from "../login/texts/texts.ts";
import type { AccountTexts } from "./texts/texts.ts";

/** What the pages of the account work with. They use the same commands as the calls. */
export interface AccountPorts {
  readonly context: FeatureContext;
  readonly users: UserServiceCommands;
  readonly sessions: SessionCommands;
  readonly factors: FactorLogins;
  readonly passkeys: PasskeyLogins;
  readonly totp: TotpLogins;
  readonly codes: CodeLogins;
  readonly bodies: BodyReader;
  readonly logins: Pick<Logins, "begin" | "brands">;
  readonly browserLogouts: BrowserLogouts;
  readonly layout: Layout;
}

/** A page at `/account`, or below it. */
export interface AccountPage {
  /** The path below `/account`; empty: the page there. */
  readonly name: string;
  /** Whether the path goes on with the id of what the page is about. */
  readonly hasId?: boolean;
  /** Whether a way to log in is added or removed there, which takes a recent login. */
  readonly isGuarded?: boolean;
  /** Whether it takes a session that does not suffice for a login any more: everybody may end theirs. */
  readonly takesAnySession?: boolean;
  /** Shows the page, with what was wrong with a form of it. Changes nothing that the user could notice. */
  show(visit: AccountVisit, fault?: Fault): Promise<Reply>;
  /** Takes a form, which has been found to come from our page in this session. Undefined: the page has none of its own. */
  submit?(visit: AccountVisit, form: PageForm): Promise<Reply>;
}

/** A request for such a page, in a session that holds. */
export interface AccountVisit {
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly ports: AccountPorts;
  readonly texts: Texts;
  readonly words: AccountTexts;
  readonly session: LiveSession;
  readonly user: LoginUser;
  /** How the pages look: as the organization of the user wants it. Undefined: as those of the instance. */
  readonly label: PageLabel | undefined;
  /** The user as the caller of use cases. */
  readonly call: Call;
  /** The value of the session: what form tokens are bound to. */
  readonly cookie: Secret;
  /** Of the page. */
  readonly path: string;
  /** The end of the path of a page that has an id; else empty. */
  readonly id: string;
  /** Makes a page that says what was just done, or what is wrong, and leads back to the first page. */
  render(
    page: Pick<PageContent, "title" | "body" | "scripts"> & {
      readonly fault?: Fault | undefined;
      readonly status?: number;
    },
  ): Reply;
}

/** What is wrong with a form. */
export interface Fault {
  readonly problem: string | Markup;
  /** How long to wait before another try; undefined: no need to. */
  readonly retryAfterMs?: number | undefined;
}
