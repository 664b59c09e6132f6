/** Which page of a list is shown. */
export interface ShownPage {
  /** From 1 on. */
  readonly number: number;
  /** The token of this page, and before it those of the pages that lead here, as far as they are kept. The first page has an empty one. */
  readonly tokens: readonly string[];
}

/** The page that a list begins with. */
export const firstPage: ShownPage = { number: 1, tokens: [""] };

/** An address is not to grow without end. */
const keptTokens = 10;

/** Reads a page from the address, such as `3..abc.def`; the first one for anything else. */
export function readPage(text: string | null): ShownPage {
  const [number = "", ...tokens] = (text ?? "").split(".");
  const isPage = /^[1-9]\d{0,8}$/.test(number) && tokens.length > 0 && tokens.every(isToken);
  return isPage ? { number: Number(number), tokens } : firstPage;
}

/** Writes a page for the address; empty for the first one. */
export function writePage({ number, tokens }: ShownPage): string {
  return number === 1 ? "" : [number, ...tokens].join(".");
}

/** Returns the page with the token, which comes after this one. */
export function pageAfter({ number, tokens }: ShownPage, nextToken: string): ShownPage {
  return { number: number + 1, tokens: [...tokens, nextToken].slice(-keptTokens) };
}

/** Returns the page before this one; the first one, if the token of that is not kept. */
export function pageBefore({ number, tokens }: ShownPage): ShownPage {
  return tokens.length > 1 ? { number: number - 1, tokens: tokens.slice(0, -1) } : firstPage;
}

function isToken(text: string): boolean {
  return /^[\w-]*$/.test(text);
}
