import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { parsePlace, type Place, toUrl } from "./routes.ts";

/** Where the console is, and how it goes elsewhere. */
export interface Navigation {
  readonly place: Place;
  /**
   * Goes to a link such as `/orgs?name=Lamp`. A page with unsaved changes asks the user first. `replaces`: the place replaces the
   * current one in the history, without that question.
   */
  go(link: string, options?: { readonly replaces?: boolean }): void;
  /** Registers a question: it says whether the page may be left. Returns a function that takes it back. */
  guard(mayLeave: () => boolean): () => void;
}

/** Gives navigation to all components; the app provides it. */
export const NavigationContext = createContext<Navigation | undefined>(undefined);

/** Returns the navigation. */
export function useNavigation(): Navigation {
  const navigation = useContext(NavigationContext);
  if (navigation === undefined) throw new Error("a component stands outside of the app");
  return navigation;
}

/** Asks the user before the page is left, as long as `isDirty`. */
export function useLeaveGuard(isDirty: boolean, question: string): void {
  const { guard } = useNavigation();
  useEffect(() => {
    if (!isDirty) return;
    return guard(() => globalThis.confirm(question));
  }, [guard, isDirty, question]);
}

/** Props of a link. */
export interface LinkProps {
  /** A place of the console, such as `/orgs?name=Lamp`. */
  readonly to: string;
  readonly class?: string | undefined;
  readonly children: ComponentChildren;
  readonly isCurrent?: boolean;
}

/** A link to a place of the console. A click with Ctrl, Shift or the middle button does what the browser does. */
export function Link({ to, class: className, children, isCurrent = false }: LinkProps): JSX.Element {
  const { go } = useNavigation();
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      href={toUrl(parsePlace(to))}
      class={className}
      onClick={follow}
      aria-current={isCurrent ? "page" : undefined}
    >
      {children}
    </a>
  );
}
