/**
 * Logs somebody in with the libraries of others, each used as its own README says, to an application with the defaults; asks for
 * tokens for APIs with them, and asks APIs that they protect; lets clients register themselves, and those of MCP find everything;
 * and tries what the FAPI 2.0 Security Profile says. Prints tables in Markdown, and fails when a step does. By hand, because it installs what it needs, in the versions of the locks beside the
 * programs: `npm run test:clients`, or `npm run test:clients -- authlib go-oidc` for these alone.
 */
import { judgeScim } from "./scim/main.ts";
import { findVersions, install, parties, type Party } from "./support/parties.ts";
import { startProgram } from "./support/run.ts";
import { findPort, type Stage, startStage } from "./support/stage.ts";
import { type TableName, tables } from "./support/tables.ts";
import { askApi, type Report, visit } from "./support/visit.ts";

const words = process.argv.slice(2);
const chosen = parties.filter(({ name }) => words.length === 0 || words.includes(name));
const stage = await startStage();
const rows: (readonly [party: Party, report: Report])[] = [];
try {
  for (const party of chosen) rows.push([party, await tryOut(stage, party)]);
} finally {
  await stage.stop();
}
for (const name of Object.keys(tables) as TableName[]) printTable(name); // it has no other keys
if (words.length === 0 || words.includes("scim")) await judgeScim();
const failed = rows.filter(([, report]) => Object.keys(report).length === 0 || !isGood(report));
process.exitCode = (chosen.length > 0 || words.includes("scim")) && failed.length === 0 ? 0 : 1;

async function tryOut(at: Stage, party: Party): Promise<Report> {
  try {
    const { directory, command } = await install(party);
    const port = await findPort();
    const url = `http://localhost:${port}`;
    const { clientId, secret } = await at.createApplication(url, party);
    const program = await startProgram([...command, at.issuer, clientId, secret, String(port)], directory);
    try {
      return party.table === "apis" ? await askApi(at, url) : await visit(at, url, party.start);
    } finally {
      program.kill();
    }
  } catch (error) {
    return { begin: `failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function printTable(name: TableName): void {
  const own = rows.filter(([{ table = "logins" }]) => table === name);
  if (own.length === 0) return;
  const { title, steps } = tables[name];
  print(`\n${title}\n\n| library | version | ${Object.values(steps).join(" | ")} |`);
  print(`| --- | --- |${" --- |".repeat(Object.keys(steps).length)}`);
  for (const [party, report] of own) {
    // What kept it from beginning stands in the first column.
    const [first, ...others] = Object.keys(steps);
    const cells = [report[first ?? ""] ?? report["begin"], ...others.map((step) => report[step])].map(toCell);
    print(`| ${party.title ?? party.name} | ${findVersions(party)} | ${cells.join(" | ")} |`);
  }
}

/** Every step says who logged in. */
function isGood(report: Report): boolean {
  return Object.values(report).every((said) => said === stage.person.userId);
}

function toCell(said: string | undefined): string {
  if (said === undefined) return "–";
  return said === stage.person.userId ? "yes" : said.replaceAll(/\s+/g, " ").slice(0, 300);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
