import type { JSX } from "preact";
import type { ActivityDay } from "../../../../../gen/console/gatehouse/v1/activity_service_pb.ts";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { activityTexts } from "./texts.ts";

const [width, height] = [720, 160];

/** The sign-ins of each day as bars, those that were refused on top; and the same as a table. */
export function DayChart({ days }: { readonly days: readonly ActivityDay[] }): JSX.Element {
  const texts = useTexts(activityTexts);
  const { number, day } = useFormats();
  const sum = (of: (day: ActivityDay) => bigint): bigint =>
    days.reduce((total, each) => total + of(each), 0n);
  const most = days.reduce((max, { signIns, refusals }) => Math.max(max, Number(signIns + refusals)), 0);
  const step = width / days.length;
  const toHeight = (count: bigint): number => (Number(count) / Math.max(most, 1)) * height;
  const [all, refused] = [sum(({ signIns }) => signIns), sum(({ refusals }) => refusals)];
  return (
    <>
      <p class="legend">
        <span class="key good">{texts.signedIn}</span> <span class="key wrong">{texts.refused}</span>
        <span class="hint">{texts.most(number(most))}</span>
      </p>
      <svg
        class="chart"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.chart(number(all), number(refused))}
      >
        {days.map(({ date, signIns, refusals }, index) => (
          <g key={date}>
            <title>{`${day(date)}: ${number(signIns)} / ${number(refusals)}`}</title>
            <rect
              class="good"
              x={index * step + step * 0.1}
              y={height - toHeight(signIns)}
              width={step * 0.8}
              height={toHeight(signIns)}
            />
            <rect
              class="wrong"
              x={index * step + step * 0.1}
              y={height - toHeight(signIns) - toHeight(refusals)}
              width={step * 0.8}
              height={toHeight(refusals)}
            />
          </g>
        ))}
      </svg>
      <p class="chart-days hint" aria-hidden="true">
        <span>{day(days[0]?.date ?? "")}</span>
        <span>{day(days.at(-1)?.date ?? "")}</span>
      </p>
      <details>
        <summary>{texts.asTable}</summary>
        <table class="counts">
          <thead>
            <tr>
              <th scope="col">{texts.day}</th>
              <th scope="col">{texts.signedIn}</th>
              <th scope="col">{texts.refused}</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ date, signIns, refusals }) => (
              <tr key={date}>
                <th scope="row">{day(date)}</th>
                <td>{number(signIns)}</td>
                <td>{number(refusals)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
