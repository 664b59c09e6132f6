import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { type Delivery, DeliveryFailure } from "../../../../gen/console/gatehouse/v1/target_pb.ts";
import { TargetService } from "../../../../gen/console/gatehouse/v1/target_service_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { List } from "../../ui/list/list.tsx";
import type { TargetPanelProps } from "./secrets-panel.tsx";
import { targetTexts } from "./texts.ts";

/** Lists what was sent to a target, and sends it again from an event on. */
export function DeliveriesPanel({ target, mayWrite, onChange }: TargetPanelProps): JSX.Element {
  const { deliveries: texts } = useTexts(targetTexts);
  const { date } = useFormats();
  const client = useClient(TargetService);
  const { id: targetId } = target;
  const resultOf = ({ failure, status }: Delivery): string => {
    switch (failure) {
      case DeliveryFailure.UNSPECIFIED:
        return texts.delivered(String(status));
      case DeliveryFailure.STATUS:
        return texts.refused(String(status));
      case DeliveryFailure.FORBIDDEN:
        return texts.forbidden;
      default:
        return texts.unreachable;
    }
  };
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <p class="hint">{texts.lead}</p>
      <List<Delivery>
        name={texts.title}
        tag="delivery"
        load={async ({ pageSize, pageToken, countTotal }) => {
          const answer = await client.listDeliveries({ targetId, pageSize, pageToken, countTotal });
          return { ...answer, rows: answer.deliveries };
        }}
        inputs={[client, targetId, target.details?.sequence]}
        columns={[
          { title: texts.type, text: ({ eventType }) => eventType },
          { title: texts.result, text: resultOf },
          { title: texts.attempts, text: ({ attempts }) => String(attempts) },
          { title: texts.last, text: ({ lastAttemptDate }) => date(lastAttemptDate) },
          { title: texts.took, text: ({ durationMs }) => texts.ms(String(durationMs)), isMinor: true },
          { title: texts.event, text: ({ eventSequence }) => String(eventSequence), isMinor: true },
        ]}
        idOf={({ eventSequence }) => String(eventSequence)}
        rowActions={(delivery, reload) =>
          mayWrite && (
            <ActionButton
              label={`${texts.again}: ${delivery.eventType}, ${String(delivery.eventSequence)}`}
              run={() => client.redeliver({ targetId, fromSequence: delivery.eventSequence })}
              done={texts.done}
              onDone={async () => {
                reload();
                await onChange();
              }}
            >
              {texts.again}
            </ActionButton>
          )
        }
        empty={{ title: texts.emptyTitle, text: texts.emptyText }}
      />
      {mayWrite && <p class="hint">{texts.againHint}</p>}
    </section>
  );
}
