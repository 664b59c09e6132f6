import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageEntry } from "./page-entry.ts";

/** Gives the table of pages to all components; the app provides it. */
export const PageListContext = createContext<readonly PageEntry[]>([]);

/** Returns all pages, in the order of the table. */
export function usePages(): readonly PageEntry[] {
  return useContext(PageListContext);
}
