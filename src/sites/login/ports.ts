import type { Logger } from "pino";
import type { Brands } from "../../identity/branding/brands.ts";
import type { FeatureContext } from "../../identity/context.ts";
import type { Hooks } from "../../identity/hooks/calls/hooks.ts";
import type { Mailer } from "../../identity/people/emails/mailer.ts";
import type { PasswordHasher } from "../../identity/people/passwords/hasher.ts";
import type { BreachedPasswords } from "../../identity/people/passwords/password-change.ts";
import type { UserLogins } from "../../identity/user-service/logins.ts";
import type { BodyReader } from "../../kernel/http/bodies/body.ts";
import type { Layout } from "./layout.ts";
import type { LoginProtocol } from "./login-protocol.ts";
import type { LoginRequest } from "./login-request.ts";
import type { ProviderLogins } from "./provider-logins.ts";

/** What the pages work with. */
export interface LoginPorts extends UserLogins {
  readonly context: FeatureContext;
  /** Refreshed at the beginning of each request. */
  readonly brands: Brands;
  readonly passwords: PasswordHasher;
  /** Passwords that nobody may choose; undefined: there is no list. */
  readonly breached: BreachedPasswords | undefined;
  readonly mailer: Mailer;
  readonly hooks: Hooks;
  readonly providers: ProviderLogins;
  readonly bodies: BodyReader;
  readonly layout: Layout;
  /** Those in which applications ask for logins. */
  readonly protocols: Readonly<Record<LoginRequest["protocol"], LoginProtocol>>;
  readonly logger: Logger;
}
