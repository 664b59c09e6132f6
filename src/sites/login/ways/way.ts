import type { Markup } from "../markup/html.ts";
import type { LoginVisit } from "../login-page.ts";

/** A way to log in, or to get an account, besides a password. The page that asks for the password offers it. */
export interface LoginWay {
  /** Buttons stand together below the form, links in the last lines of the page. Default: button. */
  readonly kind?: "button" | "link";
  /** Makes the button or link of it; undefined where the policy, the application or the instance does not offer it. */
  render(visit: LoginVisit): Promise<Markup | undefined>;
}
