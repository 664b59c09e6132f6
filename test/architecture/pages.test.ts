// README.md and the pages below docs: their size, links and examples. test/pages runs the examples.
import { describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { toOptionsTables } from "../../src/config/options-table.ts";
import { elsewhere, listPages, readBlocks, readPage } from "../pages/support/page.ts";

const root = join(import.meta.dirname, "../..");
const pages = listPages();
const withoutBlocks = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, "");

/** Returns the anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  const anchors = headings.map((heading) =>
    heading
      .replaceAll(/\]\([^)]*\)/g, "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(anchors);
}

/** Lists the links of a page to files and headings of the repository. */
function linksOf(text: string): readonly string[] {
  const prose = withoutBlocks(text).replaceAll(/`[^`\n]*`/g, "``");
  const found = [...prose.matchAll(/\]\((?<to>[^)\s]+)\)|(?:src|srcset|href)="(?<of>[^"]+)"/g)];
  return found
    .map(({ groups }) => groups?.["to"] ?? groups?.["of"] ?? "")
    .filter((link) => !/^[a-z]+:/.test(link));
}

function isBroken(page: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? page : posix.join(posix.dirname(page), file);
  if (!existsSync(join(root, target))) return true;
  return anchor !== undefined && !anchorsOf(readPage(target)).has(anchor);
}

test("README.md has at most 250 lines", () => {
  expect(readPage("README.md").split("\n").length - 1).toBeLessThanOrEqual(250);
});

describe("links", () => {
  const written = [...pages, "src/README.md", "src/CONVENTIONS.md", "test/README.md"];

  test.each(written)("of %s lead to files and headings that exist", (page) => {
    expect(linksOf(readPage(page)).filter((link) => isBroken(page, link))).toEqual([]);
  });

  test("of README.md lead to files of the npm package", () => {
    const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };
    const packed = [...files, "LICENSE"];
    const missing = linksOf(readPage("README.md")).filter(
      (link) => !link.startsWith("#") && !packed.some((part) => link.startsWith(part)),
    );
    expect(missing).toEqual([]);
  });

  test("are found, and those that lead nowhere too", () => {
    const links = linksOf('[a](docs/api.md#errors) `[b](c)` [d](https://e) <img src="f.png"> [g](#no-such)');
    expect(links).toEqual(["docs/api.md#errors", "f.png", "#no-such"]);
    expect(links.map((link) => isBroken("README.md", link))).toEqual([false, true, true]);
  });
});

describe("examples", () => {
  const shell = pages.flatMap((page) =>
    readBlocks(page)
      .filter(({ language }) => ["sh", "bash", "shell", "console"].includes(language))
      .map(({ language, name, code }) => ({ page, language, name, code })),
  );

  test("in a shell are run by test/pages, or by another test, or say why not", () => {
    const wrong = shell.filter(
      ({ language, name }) => language !== "sh" || !(name === "" || name === "stays" || name in elsewhere),
    );
    expect(wrong).toEqual([]);
    const gone = Object.values(elsewhere).filter(
      (place) => place.startsWith("test/") && !existsSync(join(root, place)),
    );
    expect(gone).toEqual([]);
    expect(Object.keys(elsewhere).filter((name) => !shell.some((block) => block.name === name))).toEqual([]);
  });

  test("that test/pages runs begin alike on each page, so that a reader can enter anywhere, and each page is followed", () => {
    const run = Object.groupBy(
      shell.filter(({ name }) => !(name in elsewhere)),
      ({ page }) => page,
    );
    const { "README.md": _first, ...others } = run;
    const tests = ["login", "others", "readme"]
      .map((name) => readPage(`test/pages/${name}.test.ts`))
      .join("");
    for (const [page, blocks] of Object.entries(others)) {
      expect([page, blocks?.[0]?.code]).toEqual([page, ". docs/begin.sh\n"]);
      const path = posix.relative(posix.dirname(page), "docs/begin.sh");
      expect(readPage(page)).toContain(
        `Run the examples of this page in their order, in a shell in the folder of Gatehouse, after \`npm ci\`. The first one is
[begin.sh](${path}): it starts a Gatehouse of its own in a new folder, with a project and a user named \`ada\`; \`kill %1\` ends it.
`,
      );
    }
    expect(Object.keys(run).filter((page) => !tests.includes(`expectExamples("${page}"`))).toEqual([]);
  });

  test("are all marked as what they are: a block without a language holds no command", () => {
    const commands = /^(?:\$ |npm |npx |node |curl |gatehouse (?!ready)|export )/m;
    const wrong = pages.flatMap((page) =>
      readBlocks(page).flatMap(({ language, code }) =>
        language === "" && commands.test(code) ? [page, code] : [],
      ),
    );
    expect(wrong).toEqual([]);
  });
});

test("docs/operate/options.md lists every option as the program has it; npm run gen writes it", () => {
  const shown = /<!-- options:[^>]*-->\n(?<tables>[^]*?)<!-- \/options -->/.exec(
    readPage("docs/operate/options.md"),
  );
  expect(shown?.groups?.["tables"]?.trim()).toBe(toOptionsTables());
});
