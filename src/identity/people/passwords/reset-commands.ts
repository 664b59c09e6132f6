import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { changedDetails, type Details } from "../../../kernel/base/details.ts";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { type FeatureContext, requireTarget, write } from "../../context.ts";
import { newVerificationCode, selfVerificationForbidden } from "../codes/code.ts";
import { putNewCode } from "../codes/repository.ts";
import type { Mailer } from "../emails/mailer.ts";
import { getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";
import { issuerNotConfigured, requestPasswordReset } from "./password.ts";
import { linkByTemplate, linkToPage, originOfTemplate, templateForbidden } from "./password-link.ts";
import { originOfCall } from "./password-change.ts";
import { mailPasswordCode } from "./reset-request.ts";

/** Where a code for a password goes. An empty template stands for the page of our own. */
export type ResetMedium =
  | { readonly kind: "return-code" }
  | { readonly kind: "send-link"; readonly urlTemplate: string };

/** The ports of what makes codes for passwords. */
export interface ResetOptions {
  readonly mailer: Mailer;
  /** Returns the issuer; undefined when the service has none. */
  readonly issuer: () => string | undefined;
  /** Says whether an ACTIVE application in the organization has the origin among its additional ones. */
  readonly isOriginOf: (
    tx: ReadTransaction,
    organizationId: OrganizationId,
    origin: string,
  ) => Promise<boolean>;
}

interface ResetSetup extends ResetOptions {
  readonly context: FeatureContext;
}

/** Does what `requestReset` of the commands says. */
export async function requestReset(
  setup: ResetSetup,
  call: Call,
  { userId, medium }: { readonly userId: string; readonly medium: ResetMedium },
): Promise<{ readonly details: Details; readonly code: Secret | undefined }> {
  const { context, mailer } = setup;
  if (medium.kind === "return-code" && userId === call.caller.userId) throw selfVerificationForbidden();
  return await write(context, call, async ({ tx, append, afterCommit }) => {
    const found = await getUser(tx, call.access.organizationId, userId);
    const user = requireHuman(requireTarget(call, found));
    let code: Secret | undefined;
    switch (medium.kind) {
      case "return-code":
        code = await giveCode(setup, tx, { call, user });
        break;
      case "send-link": {
        const { toLink, isOwn } = await chooseLink(setup, tx, { user, urlTemplate: medium.urlTemplate });
        const linkedBy = isOwn ? undefined : call;
        const mail = await mailPasswordCode(setup, tx, { user, toLink, linkedBy });
        afterCommit(() => mailer.start(call.requestId, mail));
        break;
      }
    }
    return { details: changedDetails(user.details, await append([requestPasswordReset(user)])), code };
  });
}

/** Makes the code for the caller, who is then responsible for the password that is set with it. */
async function giveCode(
  { context }: ResetSetup,
  tx: WriteTransaction,
  { call, user }: { readonly call: Call; readonly user: HumanUser },
): Promise<Secret> {
  const code = newVerificationCode("reset", context.random);
  const { creator, madeWithTokenId } = await originOfCall(tx, call, user.id);
  await putNewCode(tx, "reset", {
    ...context,
    userId: user.id,
    address: "",
    code,
    nowMs: context.clock.nowMs(),
    givenTo: { userId: creator, tokenId: madeWithTokenId },
  });
  return code;
}

/** Codes go to pages of our own, and to those of the organization's applications, whose servers see them. */
async function chooseLink(
  { issuer, isOriginOf }: ResetSetup,
  tx: ReadTransaction,
  { user, urlTemplate }: { readonly user: HumanUser; readonly urlTemplate: string },
): Promise<{ readonly toLink: (code: string) => string; readonly isOwn: boolean }> {
  const own = issuer();
  if (urlTemplate === "") {
    if (own === undefined) throw issuerNotConfigured();
    return { toLink: (code) => linkToPage(own, { userId: user.id, code }), isOwn: true };
  }
  const origin = originOfTemplate(urlTemplate);
  const organizationId = toId<OrganizationId>(user.details.resourceOwner);
  if (origin !== own && !(await isOriginOf(tx, organizationId, origin))) throw templateForbidden();
  return { toLink: (code) => linkByTemplate(urlTemplate, code), isOwn: origin === own };
}
