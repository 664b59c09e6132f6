import type { JSX } from "preact";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { Button } from "../../../ui/button.tsx";
import { toCsv } from "../../../ui/list/csv.ts";
import { saveFile } from "../../../ui/save-file.ts";
import type { Person } from "./people.ts";
import type { Line } from "./run.ts";
import { importTexts, toSentence } from "./texts.ts";
import type { Import } from "./use-import.ts";

/** A page with thousands of rows is slow, and nobody reads it; the report has all of them. */
const mostShown = 100;
const mostPeople = 10;

/** Says what would become of the file or, after the import, what became of it. */
export function ResultView({ of: own }: { readonly of: Import }): JSX.Element {
  const texts = useTexts(importTexts);
  const { number } = useFormats();
  const { lines, read, stage } = own.state;
  const isDone = stage === "importing" || stage === "imported";
  const count = (result: Line["result"]): number => lines.filter((each) => each.result === result).length;
  const fresh = count("new");
  const remarked = lines.filter(({ remarks }) => remarks.length > 0);
  const firstPeople = isDone ? [] : choosePeople(read.people, lines);
  return (
    <>
      <section class="panel">
        <h2>{isDone ? texts.result : texts.plan}</h2>
        <ul>
          <li>{(isDone ? texts.wereAdded : texts.willBeAdded)(number(fresh))}</li>
          {count("present") > 0 && <li>{texts.arePresent(number(count("present")))}</li>}
          {count("faulty") > 0 && <li>{texts.areFaulty(number(count("faulty")))}</li>}
          {count("open") > 0 && <li>{texts.areOpen(number(count("open")))}</li>}
          {!own.rights.importsIds && <li>{texts.idsStay}</li>}
          {read.unknownColumns.map((column) => (
            <li key={column}>{texts.unknownColumn(column)}</li>
          ))}
        </ul>
        <div class="actions">
          {stage === "checked" && fresh > 0 && (
            <Button look="first" onClick={own.begin}>
              {texts.begin(number(fresh))}
            </Button>
          )}
          <Button onClick={() => saveFile(toReport(lines, texts))}>{texts.download}</Button>
        </div>
      </section>
      {remarked.length > 0 && <Remarks lines={remarked} />}
      {firstPeople.length > 0 && <FirstPeople people={firstPeople} />}
    </>
  );
}

function choosePeople(people: readonly Person[], lines: readonly Line[]): readonly Person[] {
  const fresh = new Set(lines.flatMap(({ line, result }) => (result === "new" ? [line] : [])));
  return people.filter(({ line }) => fresh.has(line)).slice(0, mostPeople);
}

/** Lines with something to say, those that cannot be imported first. */
function Remarks({ lines }: { readonly lines: readonly Line[] }): JSX.Element {
  const texts = useTexts(importTexts);
  const { number } = useFormats();
  const isFaulty = ({ result }: Line): boolean => result === "faulty";
  const sorted = [...lines.filter(isFaulty), ...lines.filter((line) => !isFaulty(line))];
  return (
    <section class="part">
      <h2>{texts.remarks}</h2>
      <div class="table-frame" tabIndex={0} role="region" aria-label={texts.remarks}>
        <table>
          <caption class="hidden">{texts.remarks}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.line}</th>
              <th scope="col">{texts.username}</th>
              <th scope="col">{texts.outcome}</th>
              <th scope="col">{texts.reason}</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, mostShown).map(({ line, username, result, remarks }) => (
              <tr key={line}>
                <th scope="row">{line}</th>
                <td>{username}</td>
                <td>{texts.outcomes[result]}</td>
                <td>
                  {remarks.map((remark, index) => (
                    <div key={index} lang={remark.kind === "service" ? "en" : undefined}>
                      {toSentence(texts, remark)}
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > mostShown && <p class="hint">{texts.more(number(sorted.length - mostShown))}</p>}
    </section>
  );
}

function FirstPeople({ people }: { readonly people: readonly Person[] }): JSX.Element {
  const texts = useTexts(importTexts);
  return (
    <section class="part">
      <h2>{texts.firstPeople}</h2>
      <div class="table-frame" tabIndex={0} role="region" aria-label={texts.firstPeople}>
        <table>
          <caption class="hidden">{texts.firstPeople}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.username}</th>
              <th scope="col">{texts.name}</th>
              <th scope="col" class="minor">
                {texts.email}
              </th>
              <th scope="col" class="minor">
                {texts.belongsTo}
              </th>
            </tr>
          </thead>
          <tbody>
            {people.map(({ line, request, groups, roles }) => (
              <tr key={line}>
                <th scope="row">{request.username}</th>
                <td>{`${request.givenName} ${request.familyName}`}</td>
                <td class="minor">{request.email}</td>
                <td class="minor">
                  {[...groups, ...roles.map(({ project, key }) => `${project}/${key}`)].join(", ")}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function toReport(lines: readonly Line[], texts: (typeof importTexts)["en"]): Parameters<typeof saveFile>[0] {
  const rows = lines.map(({ line, oldId, username, result, remarks }) => [
    String(line),
    oldId,
    username,
    texts.outcomes[result],
    // Without the marks that keep names apart on a page.
    remarks.map((remark) => toSentence(texts, remark).replaceAll(/[\u2066-\u2069]/g, "")).join(" "),
  ]);
  const content = toCsv([[texts.line, "id", texts.username, texts.outcome, texts.reason], ...rows]);
  return { name: `${texts.report}.csv`, type: "text/csv;charset=utf-8", content };
}
