import type { JSX } from "preact";
import { useApi } from "../../api/api.ts";
import type { CallProblem } from "../../api/call-problem.ts";
import { WhyButton } from "./why-button.tsx";

/** Says why the user of the console lacks a permission, where the service says which. */
export function WhyDenied({ problem: { metadata } }: { readonly problem: CallProblem }): JSX.Element | false {
  const { user } = useApi();
  const { permission, organization_id: organizationId } = metadata;
  if (permission === undefined || organizationId === undefined) return false;
  const scope = { case: "organizationId", value: organizationId } as const;
  const question = { case: "permission", value: { permission, scope } } as const;
  return <WhyButton userId={user.id} questions={[{ title: permission, question }]} />;
}
