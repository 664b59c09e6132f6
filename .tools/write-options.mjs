// Writes the tables of options into docs/operate/options.md.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toOptionsTables } from "../src/config/options-table.ts";

const page = fileURLToPath(new URL("../docs/operate/options.md", import.meta.url));
const text = readFileSync(page, "utf8");
const place = /(<!-- options:[^>]*-->\n)[^]*?(<!-- \/options -->)/;
if (!place.test(text)) throw new Error("docs/operate/options.md has no place for the tables of options");
writeFileSync(
  page,
  text.replace(place, (_all, begin, end) => `${begin}${toOptionsTables()}\n${end}`),
);
