import { createClient } from "@connectrpc/connect";
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import {
  type ActivityDay,
  ActivityService,
  type GetActivityResponse,
} from "../../../../../gen/console/gatehouse/v1/activity_service_pb.ts";
import { SessionMethod } from "../../../../../gen/console/gatehouse/v1/session_pb.ts";
import { useApi } from "../../../api/api.ts";
import { useQuery } from "../../../api/use-query.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { ApplicationName } from "../../../ui/events/person-name.tsx";
import { useNames } from "../../../ui/names/use-names.ts";
import { QueryView } from "../../../ui/query-view.tsx";
import { DayChart } from "./day-chart.tsx";
import { FirstSteps, useBeginnings } from "./first-steps.tsx";
import { activityTexts } from "./texts.ts";

const periods = [7, 30, 90];
const mostUsers = 100_000n;

const methodNames = new Map<SessionMethod, keyof (typeof activityTexts)["en"]["names"]>([
  [SessionMethod.PASSWORD, "password"],
  [SessionMethod.U2F, "securityKey"],
  [SessionMethod.PASSKEY, "passkey"],
  [SessionMethod.TOTP, "app"],
  [SessionMethod.RECOVERY_CODE, "recoveryCode"],
  [SessionMethod.IDP, "provider"],
]);

/** The activity of an organization, or of all that the user may read; before it what to do first, in the organization that is named. */
export function ActivityPanel({
  organizationId,
  beginnerId,
}: {
  readonly organizationId: string | undefined;
  /** The organization in which somebody may be about to begin. */
  readonly beginnerId: string | undefined;
}): JSX.Element {
  const texts = useTexts(activityTexts);
  const { number } = useFormats();
  const { transport } = useApi();
  const [days, setDays] = useState(30);
  const beginnings = useBeginnings(beginnerId);
  const query = useQuery(
    () =>
      createClient(ActivityService, transport(organizationId)).getActivity({
        days,
        utcOffsetHours: Math.round(-new Date().getTimezoneOffset() / 60),
      }),
    [transport, organizationId, days],
  );
  // All of it appears at once, so that nothing moves.
  const isShown = useRef(false);
  isShown.current ||= !query.isLoading && beginnings !== undefined;
  if (!isShown.current) return <div class="panel activity" aria-hidden="true" />;
  return (
    <>
      {beginnings !== undefined && beginnings !== null && query.data !== undefined && (
        <FirstSteps beginnings={beginnings} sendsEmails={query.data.sendsEmails} />
      )}
      <section class="panel activity" aria-labelledby="activity-title">
        <h2 id="activity-title">{texts.title}</h2>
        <p class="hint">{texts.lead}</p>
        <div class="segments" role="group" aria-label={texts.period}>
          {periods.map((each) => (
            <button key={each} type="button" aria-pressed={each === days} onClick={() => setDays(each)}>
              {texts.lastDays(number(each))}
            </button>
          ))}
        </div>
        <QueryView query={query}>{(activity) => <ActivityView activity={activity} />}</QueryView>
      </section>
    </>
  );
}

function ActivityView({ activity }: { readonly activity: GetActivityResponse }): JSX.Element {
  const texts = useTexts(activityTexts);
  const { number } = useFormats();
  const names = useNames();
  const { days, activeUsers, factors, applications } = activity;
  const nameOf = (method: SessionMethod): string => texts.names[methodNames.get(method) ?? "password"];
  return (
    <>
      <dl class="numbers">
        {[
          { label: texts.active.day, count: activeUsers?.lastDay },
          { label: texts.active.week, count: activeUsers?.last7Days },
          { label: texts.active.month, count: activeUsers?.last30Days },
        ].map(({ label, count }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{number(count ?? 0n)}</dd>
          </div>
        ))}
      </dl>
      <h3>{texts.signIns}</h3>
      <DayChart days={days} />
      <div class="columns">
        <CountTable
          title={texts.methods}
          columns={[texts.method, texts.signedIn, texts.refused]}
          rows={toMethodRows(days).map(({ method, signIns, refusals }) => ({
            key: method,
            name: nameOf(method),
            cells: [number(signIns), number(refusals)],
          }))}
        />
        <CountTable
          title={texts.factors}
          columns={[texts.method, texts.users]}
          rows={factors.map(({ method, users }) => ({
            key: method,
            name: nameOf(method),
            cells: [users >= mostUsers ? texts.orMore(number(users)) : number(users)],
          }))}
        />
        <CountTable
          title={texts.applications}
          columns={[texts.application, texts.count]}
          rows={applications.map(({ appId, signIns }) => ({
            key: appId,
            name: <ApplicationName id={appId} names={names} />,
            cells: [number(signIns)],
          }))}
        />
      </div>
    </>
  );
}

function CountTable({
  title,
  columns,
  rows,
}: {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly key: string | number;
    readonly name: ComponentChildren;
    readonly cells: readonly string[];
  }[];
}): JSX.Element {
  const texts = useTexts(activityTexts);
  return (
    <div>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p class="hint">{texts.none}</p>
      ) : (
        <table class="counts">
          <thead>
            <tr>
              {columns.map((each) => (
                <th key={each} scope="col">
                  {each}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, cells }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                {cells.map((cell, index) => (
                  <td key={columns[index + 1]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** Sums up what was used on all days, the most sign-ins first. */
function toMethodRows(
  days: readonly Pick<ActivityDay, "methods">[],
): readonly { readonly method: SessionMethod; readonly signIns: bigint; readonly refusals: bigint }[] {
  const byMethod = Map.groupBy(
    days.flatMap(({ methods }) => methods),
    ({ method }) => method,
  );
  return [...byMethod]
    .map(([method, all]) => ({
      method,
      signIns: all.reduce((sum, { signIns }) => sum + signIns, 0n),
      refusals: all.reduce((sum, { refusals }) => sum + refusals, 0n),
    }))
    .toSorted((a, b) => Number(b.signIns - a.signIns));
}
