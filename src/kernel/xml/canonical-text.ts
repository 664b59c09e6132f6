/** Escapes text between tags: Canonical XML 1.0 §2.3. */
export function toCanonicalText(text: string): string {
  return /[&<>\r]/.test(text) ? text.replaceAll(/[&<>\r]/g, escapeOf) : text;
}

/** Escapes the value of an attribute between quotation marks: Canonical XML 1.0 §2.3. */
export function toCanonicalValue(value: string): string {
  return /[&<"\t\n\r]/.test(value) ? value.replaceAll(/[&<"\t\n\r]/g, escapeOf) : value;
}

/** Compares names by their code points, as canonical forms sort them: Canonical XML 1.0 §2.2. */
export function compareCodePoints(left: string, right: string): number {
  if (left === right) return 0;
  let at = 0;
  while (left.charCodeAt(at) === right.charCodeAt(at)) at++; // ends at the end of a text: NaN equals nothing
  return rankAt(left, at) - rankAt(right, at);
}

/** The surrogates of UTF-16 stand for code points beyond all other units. */
function rankAt(text: string, at: number): number {
  if (at >= text.length) return -1;
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}

function escapeOf(character: string): string {
  return escapes[character] ?? "";
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};
