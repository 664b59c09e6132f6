import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import type { CallProblem } from "../api/call-problem.ts";
import { useTexts } from "../texts/use-texts.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { uiTexts } from "./texts.ts";
import { WhyContext } from "./why-context.ts";

/** Props of the view of an error. */
export interface ErrorViewProps {
  readonly problem: CallProblem;
  /** What tries again; absent: there is no button for it. */
  readonly onRetry?: (() => void) | undefined;
}

/**
 * Says why something failed: in words, with the reason and the id of the request for the people that are asked for help. Texts of
 * the service are in English, and marked as English. When the login has ended, the page is about to be left for another one, and
 * there is nothing to explain.
 */
export function ErrorView({ problem, onRetry }: ErrorViewProps): JSX.Element {
  const texts = useTexts(uiTexts);
  const Why = useContext(WhyContext);
  const { reason, code, message, requestId, violations } = problem;
  const known: Readonly<Record<string, string | undefined>> = {
    PERMISSION_DENIED: texts.problem.denied,
    NOT_FOUND: texts.problem.missing,
    UNREACHABLE: texts.problem.unreachable,
    SEQUENCE_MISMATCH: texts.problem.changed,
    DRY_RUN_IGNORED: texts.problem.notTried,
    LOCKS_OUT: texts.problem.locksOut,
    REAUTHENTICATION_REQUIRED: texts.problem.loginTooOld,
  };
  if (code === "unauthenticated") {
    return (
      <p class="loading" role="status">
        {texts.problem.signingIn}
      </p>
    );
  }
  const lines = [
    `${code} ${reason}`,
    message,
    ...violations.map(({ field, message: text }) => `${field}: ${text}`),
  ];
  const report = [...lines, `request ${requestId ?? "-"}`, new Date().toISOString()].join("\n");
  return (
    <div class="alert" role="alert">
      <p class="alert-title">{texts.problem.title}</p>
      <p>{known[reason] ?? <span lang="en">{message}</span>}</p>
      {violations.length > 0 && (
        <ul>
          {violations.map(({ field, message: text }) => (
            <li key={field}>
              <code>{field}</code>: <span lang="en">{text}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="small">
        {texts.problem.reason} <code>{reason}</code>
        {requestId !== undefined && (
          <>
            {" · "}
            {texts.problem.request} <code>{requestId}</code>
          </>
        )}
      </p>
      <p class="actions">
        {onRetry !== undefined && <Button onClick={onRetry}>{texts.tryAgain}</Button>}
        {reason === "PERMISSION_DENIED" && Why !== undefined && <Why problem={problem} />}
        <CopyButton text={report}>{texts.problem.copyReport}</CopyButton>
      </p>
    </div>
  );
}
