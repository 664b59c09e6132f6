import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { isXmlText } from "../../../kernel/xml/scan.ts";
import { askHooks, type HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { SamlNameId } from "../../../identity/logins/saml-participations/saml-participation.ts";
import { toPageOfHook } from "../../login/hooks/hook-refusal.ts";
import type { LoginRequest } from "../../login/login-request.ts";
import type { ToldAttribute } from "../messages/choose-attributes.ts";
import { basicNameFormat, uriNameFormat } from "../messages/identifiers.ts";
import { SamlRefusal } from "../messages/status.ts";
import type { KnownServiceProvider } from "../parties/service-providers.ts";

/** An assertion that would be made. */
interface AssertionToTell {
  readonly sender: KnownServiceProvider;
  readonly hooks: HookSession;
  readonly prompts: LoginRequest["prompts"];
  readonly userId: string;
  readonly name: SamlNameId;
  readonly attributes: readonly ToldAttribute[];
}

/**
 * Asks the hooks of an application about an assertion: they learn what it would tell. Returns the attribute that their claims make,
 * as JSON, if the application has a name for it. Raises the page of a refusal; where none may be shown, a SamlRefusal.
 */
export async function askBeforeAssertion(
  tx: ReadTransaction,
  { sender, hooks, prompts, userId, name, attributes }: AssertionToTell,
): Promise<readonly ToldAttribute[]> {
  const { application, project, organization, claimColumns } = sender;
  // A transient name is another one each time, and says nothing of the user.
  const nameId = name.format === "TRANSIENT" ? {} : { name_id: { format: name.format, value: name.value } };
  const { refusal, additions } = await askHooks(tx, hooks, {
    kind: "BEFORE_TOKEN",
    organizationId: organization.id,
    userId,
    applicationId: application.id,
    data: {
      organization_id: organization.id,
      project_id: project.id,
      application_id: application.id,
      protocol: "saml",
      ...nameId,
      attributes: Object.fromEntries(attributes.map((attribute) => [attribute.name, attribute.values])),
    },
  });
  if (refusal !== undefined) {
    if (prompts.includes("none")) throw new SamlRefusal("RequestDenied");
    throw toPageOfHook(refusal);
  }
  const claims = Object.fromEntries(additions.flatMap((added) => Object.entries(added.claims)));
  const { hook_claim: claim } = claimColumns;
  const value = JSON.stringify(claims);
  const isTaken = attributes.some((attribute) => attribute.name.toLowerCase() === claim.toLowerCase());
  if (claim === "" || isTaken || Object.keys(claims).length === 0 || !isXmlText(value)) return [];
  // SAML Core §8.2: a name with a scheme is a URI.
  return [
    { name: claim, nameFormat: claim.includes(":") ? uriNameFormat : basicNameFormat, values: [value] },
  ];
}
