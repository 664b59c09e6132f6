import { createRandom } from "../../../hostile/support/random.ts";

type Draw = ReturnType<typeof createRandom>;

/** The namespaces that are in force, by prefix, and all that each prefix has meant on the way from the root. */
interface Place {
  readonly bound: ReadonlyMap<string, string>;
  readonly meant: ReadonlySet<string>;
  readonly depth: number;
}

const prefixes = ["", "a", "b", "c", "d"];
const namespaces = ["urn:one", "urn:two", "urn:three", "urn:four", "https://example.org/?a=1"];
const texts = [
  "text",
  " ",
  "\n  ",
  "\r\n",
  "\r",
  "\t",
  "&amp;",
  "&lt;&gt;",
  "]]&gt;",
  "&#13;",
  "&#xA;",
  "&#x1F600;",
  "é",
  "日本",
  "\u{1F600}",
  '"',
  "'",
  ">",
  "<!-- a comment -->",
  "<!---->",
  "<![CDATA[<b>&amp;\r\n]]>",
  "<![CDATA[]]>",
];
const values = [
  "",
  "1",
  " a  b ",
  "a\tb\nc\r\nd",
  "&#9;&#10;&#13;",
  "&lt;&gt;&amp;&quot;&apos;",
  "é\u{1F600}",
  ">",
];

/**
 * Writes a namespaced document, the same for the same seed: comments, CDATA sections, references, prefixes that are shadowed and
 * unused, attributes in and without namespaces. No prefix gets a meaning back that it had before it was shadowed, no default is
 * undeclared, and no namespace has to be escaped: xml-crypto is wrong about those.
 */
export function writeRandomDocument(seed: number): string {
  const draw = createRandom(seed, 1);
  const prolog = draw.below(2) === 0 ? "" : '<?xml version="1.0"?>\n<!-- before -->';
  const place = { bound: new Map(), meant: new Set<string>(), depth: 0 };
  return `${prolog}${writeElement(draw, place)}<!-- behind -->\n`;
}

function writeElement(draw: Draw, place: Place): string {
  const declared = new Map<string, string>();
  for (let left = draw.below(place.depth === 0 ? 5 : 3); left > 0; left--) {
    const [prefix, namespace] = [pick(draw, prefixes), pick(draw, namespaces)];
    if (!place.meant.has(`${prefix} ${namespace}`)) declared.set(prefix, namespace);
  }
  const bound = new Map([...place.bound, ...declared]);
  const meant = new Set([
    ...place.meant,
    ...[...declared].map(([prefix, namespace]) => `${prefix} ${namespace}`),
  ]);
  const tagPrefixes = [...bound.keys(), ...(bound.has("") ? [] : [""])];
  const name = toName(pick(draw, tagPrefixes), pick(draw, ["x", "y", "z"]));
  const attributes = [...declared].map(([prefix, namespace]) =>
    prefix === "" ? ` xmlns="${namespace}"` : ` xmlns:${prefix}="${namespace}"`,
  );
  const seen = new Set<string>();
  for (let left = draw.below(5); left > 0; left--) {
    const prefix = pick(draw, ["", "xml", ...[...bound.keys()].filter((each) => each !== "")]);
    const localName = pick(draw, ["k", "l", "m"]);
    const expanded = `${prefix === "" ? "" : (bound.get(prefix) ?? prefix)} ${localName}`;
    if (seen.has(expanded)) continue;
    seen.add(expanded);
    attributes.push(` ${toName(prefix, localName)}="${pick(draw, values)}"`);
  }
  const start = `<${name}${shuffle(draw, attributes).join("")}`;
  const content = place.depth > 6 ? "" : writeContent(draw, { bound, meant, depth: place.depth + 1 });
  return content === "" ? `${start}/>` : `${start}>${content}</${name}>`;
}

function writeContent(draw: Draw, place: Place): string {
  const parts: string[] = [];
  for (let left = draw.below(5); left > 0; left--)
    parts.push(draw.below(2) === 0 ? pick(draw, texts) : writeElement(draw, place));
  return parts.join("");
}

function toName(prefix: string, localName: string): string {
  return prefix === "" ? localName : `${prefix}:${localName}`;
}

function pick(draw: Draw, from: readonly string[]): string {
  return from[draw.below(from.length)] ?? "";
}

function shuffle(draw: Draw, all: readonly string[]): readonly string[] {
  const shuffled: string[] = [];
  for (const each of all) shuffled.splice(draw.below(shuffled.length + 1), 0, each);
  return shuffled;
}
