import { type ComponentChildren, createContext, type JSX } from "preact";
import { useCallback, useContext, useRef, useState } from "preact/hooks";

const shownMs = 6000;

const NoticeContext = createContext<(text: string) => void>(() => undefined);

/** Returns a function that tells the user what was done: it is shown for some seconds, and read aloud. */
export function useNotify(): (text: string) => void {
  return useContext(NoticeContext);
}

/** Shows the notices of all components inside of it. */
export function NoticeRegion({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [text, setText] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const notify = useCallback((next: string) => {
    clearTimeout(timer.current);
    setText(next);
    timer.current = setTimeout(() => setText(""), shownMs);
  }, []);
  return (
    <NoticeContext.Provider value={notify}>
      {children}
      <div class="notices" role="status">
        {text === "" ? undefined : <p>{text}</p>}
      </div>
    </NoticeContext.Provider>
  );
}
