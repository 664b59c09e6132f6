import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { html, type Markup } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import type { LoginVisit, PageAnswer } from "../login-page.ts";
import type { LoginState } from "../login-state.ts";
import { type FactorWay, listFactorWays } from "../steps/second-factor.ts";
import type { Texts } from "../texts/texts.ts";

/** What a page of a second factor says beside its form. */
export interface FactorProblem {
  readonly problem?: string;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the pages of second factors offer a user. */
export interface FactorOffers {
  readonly ways: readonly FactorWay[];
  /** Makes the links from the page of one way to the pages of the others. */
  readonly others: (way: FactorWay) => readonly Markup[];
}

/** The step itself shows the page of a security key, unless the user has none. */
const pageOf: Readonly<Record<FactorWay, string>> = {
  U2F: "",
  TOTP: "/totp",
  RECOVERY_CODE: "/recovery-code",
  EMAIL_CODE: "/email-code",
  SMS_CODE: "/sms-code",
};

/** Reads what the user can prove here, and how each is reached. */
export async function offersOf({ ports, state, texts }: LoginVisit): Promise<FactorOffers> {
  const ways = await ports.context.database.read((tx) => listFactorWays(tx, state));
  return {
    ways,
    others: (way) =>
      ways
        .filter((other) => other !== way)
        .map(
          (other) =>
            html`<p><a class="button second" href="/login/${state.interaction.id}${pageOf[other]}">${texts.otherFactor[other]}</a></p>
`,
        ),
  };
}

/**
 * Takes the form of a way if the user may prove it here; else sends the browser to what is offered. The factor that was proved must
 * also be offered in the write that notes it: `isOffered` says that.
 */
export async function submitFactorWay(
  visit: LoginVisit,
  way: FactorWay,
  submit: (isOffered: (tx: ReadTransaction, state: LoginState) => Promise<boolean>) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { issuer, state } = visit;
  const { ways } = await offersOf(visit);
  if (!ways.includes(way))
    return { kind: "page", reply: redirectTo(`${issuer}/login/${state.interaction.id}`) };
  return await submit(async (tx, now) => (await listFactorWays(tx, now)).includes(way));
}

/** Makes what a page says when nothing is compared for a while. */
export function pausedProblem(
  texts: Texts,
  { retryAfterMs }: { readonly retryAfterMs: number },
): FactorProblem {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return { problem: texts.secondFactor.paused, status: 429, headers };
}
