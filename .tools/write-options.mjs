// Writes the table of options into src/config/README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toOptionsTable } from "../src/config/options-table.ts";

const readme = fileURLToPath(new URL("../src/config/README.md", import.meta.url));
const text = readFileSync(readme, "utf8");
const place = /(<!-- options:[^>]*-->\n)[^]*?(<!-- \/options -->)/;
if (!place.test(text)) throw new Error("src/config/README.md has no place for the table of options");
writeFileSync(
  readme,
  text.replace(place, (_all, begin, end) => `${begin}${toOptionsTable()}\n${end}`),
);
