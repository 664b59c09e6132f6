import type { JSX } from "preact";
import type { DescMessage } from "@bufbuild/protobuf";
import { boundsOf } from "../../api/bounds.ts";
import { useFormats, useTexts } from "../../texts/use-texts.ts";
import { ChecksField, ChoiceField } from "../../ui/form/choice-fields.tsx";
import { CheckField } from "../../ui/form/fields.tsx";
import type { Form } from "../../ui/form/use-form.ts";
import { uiTexts } from "../../ui/texts.ts";
import { DurationField, NumberField, useDurationText } from "./duration-field.tsx";
import { toDurationText } from "./duration.ts";
import { findPolicyFaults, mfaChoices, type PolicyValues, ways } from "./policy-values.ts";
import { policyTexts } from "./shared/texts.ts";

interface FieldsProps {
  readonly form: Form<PolicyValues>;
}

/** The fields of a login policy. */
export function PolicyFields({ form }: FieldsProps): JSX.Element {
  return (
    <>
      <WayFields form={form} />
      <FactorFields form={form} />
      <PasswordFields form={form} />
      <SessionFields form={form} />
      <NotifyField form={form} />
    </>
  );
}

/** Returns a function that says what is wrong with the values of a policy, field by field. */
export function usePolicyCheck(request: DescMessage): (values: PolicyValues) => Record<string, string> {
  const texts = useTexts(policyTexts);
  const { required } = useTexts(uiTexts).form;
  const { number } = useFormats();
  const toText = useDurationText();
  return (values) =>
    Object.fromEntries(
      Object.entries(findPolicyFaults(values, boundsOf(request))).map(([name, fault]) => {
        if (fault === "nothing") return [name, required];
        const { least, most } = fault;
        return name.startsWith("session")
          ? [name, texts.durationBetween(toText(toDurationText(least)), toText(toDurationText(most)))]
          : [name, texts.between(number(least), number(most))];
      }),
    );
}

function WayFields({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(policyTexts);
  return (
    <>
      <ChecksField
        form={form}
        name="ways"
        label={texts.ways}
        hint={texts.waysHint}
        options={ways.map((value) => ({ value, label: texts.way[value], hint: texts.wayHints[value] }))}
      />
      <ChecksField
        form={form}
        name="loginNames"
        label={texts.names}
        hint={texts.namesHint}
        options={(["1", "2", "3"] as const).map((value) => ({ value, label: texts.name[value] }))}
      />
      <CheckField
        form={form}
        name="allowRegistration"
        label={texts.allowRegistration}
        hint={texts.allowRegistrationHint}
      />
      <ChoiceField
        form={form}
        name="linkByVerifiedEmail"
        label={texts.linking}
        options={(["2", "1"] as const).map((value) => ({
          value,
          label: texts.linkings[value],
          hint: texts.linkingHints[value],
        }))}
      />
    </>
  );
}

function FactorFields({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(policyTexts);
  return (
    <>
      <ChoiceField
        form={form}
        name="mfa"
        label={texts.mfa}
        hint={texts.mfaHint}
        options={mfaChoices.map((value) => ({ value, label: texts.mfas[value] }))}
      />
      <ChecksField
        form={form}
        name="secondFactors"
        label={texts.secondFactors}
        hint={texts.factorsHint}
        options={(["1", "2", "3", "4"] as const).map((value) => ({ value, label: texts.factors[value] }))}
      />
    </>
  );
}

function PasswordFields({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(policyTexts);
  return (
    <>
      <NumberField
        form={form}
        name="minPasswordLength"
        label={texts.minPasswordLength}
        hint={texts.minPasswordLengthHint}
      />
      <NumberField
        form={form}
        name="maxPasswordAttempts"
        label={texts.maxPasswordAttempts}
        hint={texts.maxPasswordAttemptsHint}
      />
    </>
  );
}

function SessionFields({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(policyTexts);
  return (
    <>
      <DurationField
        form={form}
        name="sessionIdleSeconds"
        label={texts.sessionIdle}
        hint={texts.sessionIdleHint}
      />
      <DurationField
        form={form}
        name="sessionLifetimeSeconds"
        label={texts.sessionLifetime}
        hint={texts.sessionLifetimeHint}
      />
    </>
  );
}

function NotifyField({ form }: FieldsProps): JSX.Element {
  const texts = useTexts(policyTexts);
  return <CheckField form={form} name="notifySecurityChanges" label={texts.notify} hint={texts.notifyHint} />;
}
