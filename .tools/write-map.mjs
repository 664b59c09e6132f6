// Writes the table of rooms into src/README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toRoomTable } from "../test/architecture/map.ts";

const page = fileURLToPath(new URL("../src/README.md", import.meta.url));
const text = readFileSync(page, "utf8");
const place = /(<!-- rooms:[^>]*-->\n)[^]*?(<!-- \/rooms -->)/;
if (!place.test(text)) throw new Error("src/README.md has no place for the table of rooms");
writeFileSync(
  page,
  text.replace(place, (_all, begin, end) => `${begin}${toRoomTable()}\n${end}`),
);
