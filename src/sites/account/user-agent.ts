/** What a header `user-agent` says in words that people know; undefined where nothing in it is known. */
export interface NamedBrowser {
  readonly browser: string;
  readonly system: string;
}

/** In this order: most browsers also name those that came before them (RFC 9110 §10.1.5). */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, "Windows"],
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Recognises a browser. Anybody may send any header, so what it says is a help to memory and no more. */
export function recogniseBrowser(userAgent: string): NamedBrowser | undefined {
  const find = (table: typeof browsers) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(browsers);
  const system = find(systems);
  return browser === undefined || system === undefined ? undefined : { browser, system };
}
