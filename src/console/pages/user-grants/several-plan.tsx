import type { CallOptions } from "@connectrpc/connect";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { dryRun, withKey } from "../../api/call-options.ts";
import { type CallProblem, readProblem } from "../../api/call-problem.ts";
import { useQuery } from "../../api/use-query.ts";
import { BatchService } from "../../../../gen/console/gatehouse/v1/batch_service_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorView } from "../../ui/error-view.tsx";
import { useNotify } from "../../ui/notices.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { type ActiveStep, activeSteps, type Step } from "./several.ts";
import { userGrantTexts } from "./texts.ts";

/** What is to be done for several users, in one call. */
export interface Plan {
  readonly projectId: string;
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
  readonly steps: readonly Step[];
}

/** The results of the steps: by the id of the user, why one could not be done, or undefined for one that was. */
type Outcome = ReadonlyMap<string, string | undefined>;

/** Shows what will happen, which a dry run tells, does it, and shows what was done. */
export function PlanView({
  plan,
  onBack,
}: {
  readonly plan: Plan;
  readonly onBack: () => void;
}): JSX.Element {
  const texts = useTexts(userGrantTexts).bulk;
  const write = useWrite(plan);
  const preview = useQuery(() => write(dryRun), [plan]);
  const [outcome, setOutcome] = useState<Outcome>();
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that had the focus is gone.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="part">
      <h2 ref={heading} tabIndex={-1}>
        {outcome === undefined ? texts.table : texts.result}
      </h2>
      <QueryView query={preview}>
        {(expected) => (
          <>
            <StepTable plan={plan} outcome={outcome ?? expected} isDone={outcome !== undefined} />
            {outcome === undefined ? (
              <PlanActions
                plan={plan}
                expected={expected}
                onBack={onBack}
                write={write}
                onDone={setOutcome}
              />
            ) : (
              <Finished outcome={outcome} onBack={onBack} />
            )}
          </>
        )}
      </QueryView>
    </section>
  );
}

/** Steps that cannot be done do not keep the others from being done. */
function useWrite(plan: Plan): (options: CallOptions) => Promise<Outcome> {
  const client = useClient(BatchService);
  return async (options) => {
    const steps = activeSteps(plan.steps);
    if (steps.length === 0) return new Map();
    const items = steps.map((step) => toItem(step, plan));
    const { results } = await client.write({ items, allowPartialSuccess: true }, options);
    return new Map(
      steps.map(({ user }, index) => {
        const result = results[index]?.result;
        return [user.id, result?.case === "error" ? result.value.message : undefined];
      }),
    );
  };
}

function toItem(step: ActiveStep, { projectId, projectGrantId, roleKeys }: Plan) {
  const userId = step.user.id;
  if (step.kind === "add") {
    const value = { userId, projectId, projectGrantId, roleKeys: [...roleKeys] };
    return { request: { case: "addUserGrant" as const, value } };
  }
  const { held, added } = step;
  const value = { userId, grantId: held.id, roleKeys: [...held.roleKeys, ...added] };
  return { ifMatch: `"${held.sequence}"`, request: { case: "updateUserGrant" as const, value } };
}

function StepTable({
  plan,
  outcome,
  isDone,
}: {
  readonly plan: Plan;
  readonly outcome: Outcome;
  readonly isDone: boolean;
}): JSX.Element {
  const texts = useTexts(userGrantTexts);
  const say = (step: Step): ComponentChildren => {
    switch (step.kind) {
      case "missing":
        return texts.bulk.missing;
      case "keep":
        return texts.bulk.keep;
      case "add":
      case "extend": {
        const failure = outcome.get(step.user.id);
        if (failure !== undefined)
          return (
            <>
              {texts.bulk.failing} <span lang="en">{failure}</span>
            </>
          );
        if (isDone) return texts.bulk.done;
        return step.kind === "add"
          ? texts.bulk.addStep(plan.roleKeys.join(", "))
          : texts.bulk.extendStep(step.added.join(", "));
      }
    }
  };
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">{isDone ? texts.bulk.result : texts.bulk.table}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.user}</th>
            <th scope="col">{texts.bulk.step}</th>
          </tr>
        </thead>
        <tbody>
          {plan.steps.map((step) => {
            const name = step.kind === "missing" ? step.typed : step.user.title;
            return (
              <tr key={step.kind === "missing" ? `missing ${name}` : step.user.id}>
                <th scope="row">{name}</th>
                <td>{say(step)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function PlanActions({
  plan,
  expected,
  onBack,
  write,
  onDone,
}: {
  readonly plan: Plan;
  readonly expected: Outcome;
  readonly onBack: () => void;
  readonly write: (options: CallOptions) => Promise<Outcome>;
  readonly onDone: (outcome: Outcome) => void;
}): JSX.Element {
  const texts = useTexts(userGrantTexts).bulk;
  const { number } = useFormats();
  const notify = useNotify();
  // One key for one plan: a repeat after a broken connection does nothing twice.
  const [key] = useState(() => crypto.randomUUID());
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<CallProblem>();
  const count = activeSteps(plan.steps).filter(({ user }) => expected.get(user.id) === undefined).length;
  const run = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const outcome = await write(withKey(key));
      notify(texts.done);
      onDone(outcome);
    } catch (error) {
      setProblem(readProblem(error));
      setIsBusy(false);
    }
  };
  return (
    <>
      {problem !== undefined && <ErrorView problem={problem} />}
      <div class="list-foot">
        <div class="actions">
          {count === 0 ? (
            <p role="status">{texts.nothing}</p>
          ) : (
            <Button look="first" isBusy={isBusy} onClick={() => void run()}>
              {texts.run(count === 1 ? texts.oneUser : texts.manyUsers(number(count)))}
            </Button>
          )}
          <Button onClick={onBack}>{texts.back}</Button>
        </div>
      </div>
    </>
  );
}

function Finished({
  outcome,
  onBack,
}: {
  readonly outcome: Outcome;
  readonly onBack: () => void;
}): JSX.Element {
  const texts = useTexts(userGrantTexts).bulk;
  const { number } = useFormats();
  const failed = [...outcome.values()].filter((failure) => failure !== undefined).length;
  return (
    <div class="list-foot">
      <p role="status">{texts.finished(number(outcome.size - failed), number(failed))}</p>
      <Button onClick={onBack}>{texts.again}</Button>
    </div>
  );
}
