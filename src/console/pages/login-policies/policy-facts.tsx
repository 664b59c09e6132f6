import type { JSX } from "preact";
import type { LoginPolicy } from "../../../../gen/console/gatehouse/v1/login_policy_pb.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { uiTexts } from "../../ui/texts.ts";
import { useDurationText } from "./duration-field.tsx";
import { mfaChoices, toPolicyValues, ways } from "./policy-values.ts";
import { policyTexts } from "./shared/texts.ts";

/** Shows a login policy that the user may not change, or that holds because there is no other. */
export function PolicyFacts({ policy }: { readonly policy: LoginPolicy }): JSX.Element {
  const texts = useTexts(policyTexts);
  const { yes, no } = useTexts(uiTexts);
  const { number } = useFormats();
  const duration = useDurationText();
  const values = toPolicyValues(policy);
  const mfa = mfaChoices.find((choice) => choice === values.mfa) ?? "chosen";
  const names: Readonly<Record<string, string>> = texts.name;
  const factors: Readonly<Record<string, string>> = texts.factors;
  const linkings: Readonly<Record<string, string>> = texts.linkings;
  const attempts = policy.maxPasswordAttempts;
  return (
    <section class="panel">
      <h2>{texts.inForce}</h2>
      <Facts
        facts={[
          {
            label: texts.ways,
            value: ways
              .filter((way) => values.ways.includes(way))
              .map((way) => texts.way[way])
              .join(", "),
          },
          { label: texts.names, value: values.loginNames.map((kind) => names[kind] ?? kind).join(", ") },
          { label: texts.allowRegistration, value: values.allowRegistration ? yes : no },
          { label: texts.linking, value: linkings[values.linkByVerifiedEmail] },
          { label: texts.mfa, value: texts.mfas[mfa] },
          {
            label: texts.secondFactors,
            value: values.secondFactors.map((type) => factors[type] ?? type).join(", "),
          },
          { label: texts.minPasswordLength, value: number(policy.minPasswordLength) },
          { label: texts.maxPasswordAttempts, value: attempts === 0 ? texts.never : number(attempts) },
          { label: texts.sessionIdle, value: duration(values.sessionIdleSeconds) },
          { label: texts.sessionLifetime, value: duration(values.sessionLifetimeSeconds) },
          { label: texts.notify, value: values.notifySecurityChanges ? yes : no },
        ]}
      />
    </section>
  );
}
