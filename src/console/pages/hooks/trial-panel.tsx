import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import type { Hook } from "../../../../gen/console/gatehouse/v1/hook_pb.ts";
import {
  HookService,
  type TrialRunHookResponse,
} from "../../../../gen/console/gatehouse/v1/hook_service_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionDialog } from "../../ui/action-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { hookTexts } from "./texts.ts";

/** Calls a hook with a made-up login, and shows what a login would make of the answer. */
export function TrialPanel({ hook }: { readonly hook: Hook }): JSX.Element {
  const { trial } = useTexts(hookTexts);
  const client = useClient(HookService);
  const [isAsking, setIsAsking] = useState(false);
  const [result, setResult] = useState<TrialRunHookResponse>();
  return (
    <section class="panel">
      <h2>{trial.title}</h2>
      <p class="hint">{trial.lead}</p>
      {result !== undefined && (
        <Facts
          facts={[
            { label: trial.verdict, value: trial.verdicts[result.verdict] },
            { label: trial.failure, value: trial.failures[result.failure] },
            { label: trial.status, value: result.status === 0 ? "" : String(result.status) },
            { label: trial.took, value: trial.ms(String(result.durationMs)) },
            { label: trial.message, value: result.message },
            { label: trial.additions, value: result.additions },
          ]}
        />
      )}
      <div class="actions">
        <Button onClick={() => setIsAsking(true)}>{trial.run}</Button>
      </div>
      {isAsking && (
        <ActionDialog
          title={trial.ask}
          text={trial.lead}
          actionText={trial.run}
          done={trial.done}
          run={async () => setResult(await client.trialRunHook({ hookId: hook.id }))}
          onClose={() => setIsAsking(false)}
          onDone={async () => {}}
        />
      )}
    </section>
  );
}
