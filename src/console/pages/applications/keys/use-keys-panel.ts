import { useLater } from "../../../ui/use-later.ts";

/** Loads the panel of keys once the page is painted, if the application has keys; undefined until it is there. */
export function useKeysPanel(hasKeys: boolean) {
  return useLater(async () => (await import("./keys-panel.tsx")).KeysPanel, hasKeys);
}
