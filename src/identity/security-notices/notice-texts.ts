import type { SecurityChange } from "./security-notice.ts";

/** The words of the mails in one language. */
export interface NoticeTexts {
  /** In which dates are written, by BCP 47. */
  readonly locale: string;
  readonly subject: string;
  readonly greeting: string;
  readonly changes: Readonly<Record<SecurityChange, string>>;
  /** `date` is in UTC. */
  readonly at: (date: string) => string;
  readonly byAccount: (remoteAddress: string | undefined) => string;
  readonly byAdministrator: (name: string | undefined) => string;
  readonly byService: string;
  readonly more: (count: number) => string;
  readonly expected: string;
  readonly unexpected: string;
  readonly lockedOut: string;
}
