import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import {
  type AccessChange,
  AccessChangeKind,
  AccessReason,
  type AccessStep,
  AccessStepKind,
  AccessVerdict,
} from "../../../../gen/console/gatehouse/v1/access_explanation_pb.ts";
import {
  AccessService,
  type ExplainAccessRequestSchema,
  type ExplainAccessResponse,
} from "../../../../gen/console/gatehouse/v1/access_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { type Names, useNames } from "../names/use-names.ts";
import { usePeriodText } from "../period/period-facts.ts";
import { uiTexts } from "../texts.ts";
import { whyTexts } from "./texts.ts";

/** What is asked about a user, and what it is called. */
export interface WhyQuestion {
  readonly title: string;
  readonly question: NonNullable<MessageInitShape<typeof ExplainAccessRequestSchema>["question"]>;
}

/** Props of the dialog. */
export interface WhyDialogProps {
  readonly userId: string;
  readonly questions: readonly WhyQuestion[];
  readonly asOf?: Timestamp | undefined;
  readonly onClose: () => void;
}

/** So many questions are answered at a time. */
const maxQuestions = 5;

/** Says why a user may do something, or what would allow it. */
export function WhyDialog({ userId, questions, asOf, onClose }: WhyDialogProps): JSX.Element {
  const texts = useTexts(whyTexts);
  const shared = useTexts(uiTexts);
  const shown = questions.slice(0, maxQuestions);
  return (
    <Dialog title={shared.why} onClose={onClose} isWide>
      {shown.length < questions.length && <p class="hint">{texts.newest(questions.length)}</p>}
      {shown.map((asked) => (
        <Answer key={asked.title} userId={userId} asked={asked} asOf={asOf} />
      ))}
      <div class="actions">
        <Button onClick={onClose}>{shared.close}</Button>
      </div>
    </Dialog>
  );
}

/** An answer, with the names of what it mentions by their ids. */
interface NamedAnswer {
  readonly answer: ExplainAccessResponse;
  readonly names: ReadonlyMap<string, string>;
}

function Answer({
  userId,
  asked,
  asOf,
}: Pick<WhyDialogProps, "userId" | "asOf"> & { readonly asked: WhyQuestion }): JSX.Element {
  const texts = useTexts(whyTexts);
  const client = useClient(AccessService);
  const find = useNames();
  const { data, problem } = useQuery(async (): Promise<NamedAnswer> => {
    const moment = asOf === undefined ? {} : { asOf: { case: "asOfDate", value: asOf } as const };
    const answer = await client.explainAccess({ userId, question: asked.question, ...moment });
    return { answer, names: await findNames(answer, find) };
  }, [client, find, userId, asked.title, asOf]);
  const verdict = (allowed: boolean | undefined) =>
    allowed === undefined ? texts.open : allowed ? texts.allowed : texts.denied;
  return (
    <section>
      <h3>{asked.title}</h3>
      {problem !== undefined && <p role="status">{texts.unreadable}</p>}
      {data !== undefined && (
        <>
          <p role="status" class={data.answer.allowed === true ? "verdict good" : "verdict"}>
            {verdict(data.answer.allowed)}
          </p>
          <Steps {...data} />
          <Proposals {...data} />
        </>
      )}
    </section>
  );
}

function Steps({ answer, names }: NamedAnswer): JSX.Element {
  const texts = useTexts(whyTexts);
  const periodText = usePeriodText();
  const toPath = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).join(" › ");
  const reasonOf = (step: AccessStep) => {
    const when = step.kind === AccessStepKind.NOT_VISIBLE ? "" : periodText(step);
    const path = step.groupIds.length > 1 ? texts.byGroups(toPath(step.groupIds)) : "";
    return [texts.reasons[toName(AccessReason, step.reason)], when, path]
      .filter((part) => part !== "")
      .join(", ");
  };
  return (
    <>
      <h4>{texts.steps}</h4>
      <ul class="chain">
        {answer.steps.map((step) => (
          <li key={`${step.kind} ${step.id} ${step.rightId} ${step.reason}`}>
            <span>{toTitle(texts.kinds[toName(AccessStepKind, step.kind)], names, step.id)}</span>
            {step.verdict !== AccessVerdict.UNSPECIFIED && (
              <span class={step.verdict === AccessVerdict.ALLOWS ? "state active" : "state inactive"}>
                {reasonOf(step)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Proposals({ answer: { proposals }, names }: NamedAnswer): JSX.Element | false {
  const texts = useTexts(whyTexts);
  const say = (change: AccessChange) => {
    const what = [
      toTitle(texts.kinds[toName(AccessStepKind, change.object)], names, change.id),
      change.role,
      ...[change.projectId, change.organizationId, change.projectGrantId].map((id) => names.get(id) ?? id),
    ];
    return texts.changes[toName(AccessChangeKind, change.kind)](
      what.filter((part) => part !== "").join(", "),
    );
  };
  return (
    proposals.length > 0 && (
      <>
        <h4>{texts.proposals}</h4>
        {proposals.map(({ changes }, index) => (
          <div key={changes.map(say).join()}>
            {index > 0 && <p class="hint">{texts.or}</p>}
            <ul>
              {changes.map((change) => (
                <li key={say(change)}>{say(change)}</li>
              ))}
            </ul>
          </div>
        ))}
      </>
    )
  );
}

/** Returns the name of a value; of one that this version of the console does not know, that of the zero value. */
function toName<E extends Readonly<Record<string, number | string>>>(values: E, value: number) {
  return (Object.keys(values).find((name) => values[name] === value) ?? "UNSPECIFIED") as Exclude<
    keyof E, // its names
    number
  >;
}

function toTitle(kind: string, names: ReadonlyMap<string, string>, id: string): string {
  const name = names.get(id) ?? id;
  return name === "" ? kind : `${kind}: ${name}`;
}

/** Names what has a name; rights are called by their ids. */
async function findNames(
  { steps, proposals }: ExplainAccessResponse,
  find: Names,
): Promise<ReadonlyMap<string, string>> {
  const organizationIds = new Set(
    [
      ...steps.filter(({ kind }) => kind === AccessStepKind.ORGANIZATION || kind === AccessStepKind.POLICY),
      ...proposals.flatMap(({ changes }) => changes.map(({ organizationId: id }) => ({ id }))),
    ].map(({ id }) => id),
  );
  const named = [
    ...[...organizationIds].map((id) => find.organization(id)),
    ...steps.flatMap(({ kind, id }) => (kind === AccessStepKind.USER ? [find.user(id)] : [])),
    ...steps.flatMap(({ kind, id }) => (kind === AccessStepKind.APPLICATION ? [find.application(id)] : [])),
    ...steps.flatMap(({ groupIds }) => groupIds.map((id) => find.group(id))),
    ...steps.flatMap(({ kind, id }) =>
      kind === AccessStepKind.PROJECT ? [...organizationIds].map((owner) => find.project(id, owner)) : [],
    ),
  ];
  const found = await Promise.all(named);
  return new Map(found.filter(({ id, title }) => title !== id).map(({ id, title }) => [id, title]));
}
