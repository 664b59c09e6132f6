import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { useHistoryNavigation } from "../routing/history-navigation.ts";
import { NavigationContext } from "../routing/navigation.tsx";
import { PageListContext } from "../routing/page-list.ts";
import { matchRoute, toPlace } from "../routing/routes.ts";
import { type SessionStart, signInAgain, startSession } from "../session/browser-session.ts";
import { chooseLanguage, type Language } from "../texts/language.ts";
import { LanguageContext, useTexts } from "../texts/use-texts.ts";
import { Button } from "../ui/button.tsx";
import { NoticeRegion } from "../ui/notices.tsx";
import { House } from "./house.tsx";
import { pageTable } from "./page-table.ts";
import { appTexts } from "./texts.ts";

const languageName = "gatehouse.language";

/** The application: signs the user in, and shows the pages then. */
export function App({ nowMs }: { readonly nowMs: () => number }): JSX.Element {
  const [language, setLanguage] = useState(() =>
    chooseLanguage(localStorage.getItem(languageName), navigator.languages),
  );
  const [start, setStart] = useState<SessionStart>();
  const ports = useMemo(
    () => ({
      nowMs,
      language,
      onFailure: (failure: FailedStart["failure"]) => setStart({ kind: "failed", failure }),
    }),
    [nowMs, language],
  );
  useEffect(() => {
    void startSession(ports).then(setStart);
    loadPage();
  }, []);
  useEffect(() => {
    // A page that the browser has kept for its back button may belong to a user that has signed out since.
    const onShow = (event: PageTransitionEvent): void => {
      if (event.persisted) location.reload();
    };
    addEventListener("pageshow", onShow);
    return () => removeEventListener("pageshow", onShow);
  }, []);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = useCallback((next: Language) => {
    localStorage.setItem(languageName, next);
    setLanguage(next);
  }, []);
  return (
    <LanguageContext.Provider value={useMemo(() => ({ language, choose }), [language, choose])}>
      <NoticeRegion>
        {start?.kind === "signed-in" ? (
          <SignedIn session={start.session} />
        ) : (
          <Waiting start={start} onSignIn={() => void signInAgain(ports).then(setStart)} />
        )}
      </NoticeRegion>
    </LanguageContext.Provider>
  );
}

/** Loads the code of the page while the user is signed in. If that fails, the page says so when it is shown. */
function loadPage(): void {
  const place = toPlace(location.pathname, location.search);
  if (place !== undefined)
    matchRoute(pageTable, place.path)
      ?.route.load()
      .catch(() => {});
}

type FailedStart = Extract<SessionStart, { kind: "failed" }>;

/** The place is read only now: the login may have changed it. */
function SignedIn({
  session,
}: {
  readonly session: Extract<SessionStart, { kind: "signed-in" }>["session"];
}): JSX.Element {
  const navigation = useHistoryNavigation();
  return (
    <NavigationContext.Provider value={navigation}>
      <PageListContext.Provider value={pageTable}>
        <House session={session} />
      </PageListContext.Provider>
    </NavigationContext.Provider>
  );
}

function Waiting({
  start,
  onSignIn,
}: {
  readonly start: Exclude<SessionStart, { kind: "signed-in" }> | undefined;
  readonly onSignIn: () => void;
}): JSX.Element {
  const texts = useTexts(appTexts);
  if (start === undefined || start.kind === "leaving") {
    return (
      <p class="starting" role="status">
        {texts.starting}
      </p>
    );
  }
  const isFailed = start.kind === "failed";
  return (
    <main class="card">
      <p class="name">{texts.name}</p>
      <h1>{isFailed ? texts.failed.title : texts.signedOut.title}</h1>
      <p class="lead">{isFailed ? texts.failed[start.failure] : texts.signedOut.text}</p>
      {isFailed && start.code !== undefined && (
        <p class="lead">
          <code>{start.code}</code>
        </p>
      )}
      <Button look="first" onClick={onSignIn} hasFocus>
        {isFailed ? texts.again : texts.signIn}
      </Button>
    </main>
  );
}
