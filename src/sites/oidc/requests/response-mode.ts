import type { BrowserAnswer } from "../../login/browser-answer.ts";
import { type ApplicationAnswer, toRedirect } from "./redirect.ts";

/** The ways in which applications get their answers through the browser. The first one is the default for codes. */
export const responseModes = ["query", "form_post"] as const;

/** One of them. */
export type ResponseMode = (typeof responseModes)[number];

/** Says whether there is such a response mode. */
export function isResponseMode(text: string): text is ResponseMode {
  return (responseModes as readonly string[]).includes(text);
}

/** Makes what the browser takes to the redirect URI, in the way that the application has asked for. */
export function toBrowserAnswer(
  { redirectUri, responseMode }: { readonly redirectUri: string; readonly responseMode: ResponseMode },
  answer: ApplicationAnswer,
): BrowserAnswer {
  if (responseMode === "query") return { kind: "redirect", location: toRedirect(redirectUri, answer) };
  const fields = Object.entries(answer).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { kind: "form-post", action: redirectUri, fields: Object.fromEntries(fields) };
}
