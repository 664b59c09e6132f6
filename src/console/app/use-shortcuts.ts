import { useEffect, useRef } from "preact/hooks";

/** Listens to the keys of the console: `/` goes to the search of the page, Ctrl+K or ⌘K opens the palette. */
export function useShortcuts(onPalette: () => void): void {
  const open = useRef(onPalette);
  open.current = onPalette;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (
        event.key.toLowerCase() === "k" &&
        (event.ctrlKey || event.metaKey) &&
        !event.altKey &&
        !event.shiftKey
      ) {
        event.preventDefault();
        if (document.querySelector("dialog[open]") === null) open.current();
        return;
      }
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      const search = document.querySelector<HTMLElement>("[data-search]");
      if (search === null) open.current();
      else search.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, dialog[open]") !== null;
}
