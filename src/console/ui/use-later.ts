import { useEffect, useState } from "preact/hooks";

/**
 * Loads a component once the page is painted, if it is wanted; undefined until it is there. What cannot be loaded is left out: the page
 * says enough without it.
 */
export function useLater<T>(load: () => Promise<T>, isWanted: boolean): T | undefined {
  const [loaded, setLoaded] = useState<T>();
  useEffect(() => {
    if (!isWanted) return;
    let isHere = true;
    const frame = requestAnimationFrame(() => {
      void load().then(
        (component) => isHere && setLoaded(() => component),
        () => {},
      );
    });
    return () => {
      isHere = false;
      cancelAnimationFrame(frame);
    };
  }, [isWanted]);
  return loaded;
}
