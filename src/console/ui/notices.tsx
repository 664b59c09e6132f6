import { type ComponentChildren, createContext, type JSX } from "preact";
import { useCallback, useContext, useRef, useState } from "preact/hooks";
import type { Language } from "../texts/language.ts";

const shownMs = 6000;

/** Tells the user something. `language`: that of the text, if it is another one than that of the console. */
type Notify = (text: string, language?: Language) => void;

const NoticeContext = createContext<Notify>(() => undefined);

/** Returns a function that tells the user what was done: it is shown for some seconds, and read aloud. */
export function useNotify(): Notify {
  return useContext(NoticeContext);
}

interface Notice {
  readonly text: string;
  readonly language?: Language | undefined;
}

/** Shows the notices of all components inside of it. */
export function NoticeRegion({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [{ text, language }, setNotice] = useState<Notice>({ text: "" });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const notify = useCallback<Notify>((next, ofNext) => {
    clearTimeout(timer.current);
    setNotice({ text: next, language: ofNext });
    timer.current = setTimeout(() => setNotice({ text: "" }), shownMs);
  }, []);
  return (
    <NoticeContext.Provider value={notify}>
      {children}
      <div class="notices" role="status">
        {text === "" ? undefined : <p lang={language}>{text}</p>}
      </div>
    </NoticeContext.Provider>
  );
}
