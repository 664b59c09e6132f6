const maxNameLength = 60;

/**
 * Makes a name harmless for mails that somebody has typed: of its characters there stay letters, digits, spaces, apostrophes and
 * hyphens, so that no mail program makes a link of it and it ends no line. The isolates (Unicode UAX #9, FSI and PDI) keep its
 * direction from the text around it. Undefined when nothing stays.
 */
export function toShownName(name: string): string | undefined {
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{Nd}'’-]+/gu, " ").trim();
  const short = Array.from(plain).slice(0, maxNameLength).join(""); // never a half of a pair of surrogates
  return short === "" ? undefined : `\u2068${short}\u2069`;
}
