import type { Call } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { changedDetails, type Details } from "../../../kernel/base/details.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { type FeatureContext, requireTarget, write } from "../../context.ts";
import { newVerificationCode, selfVerificationForbidden } from "../codes/code.ts";
import { putNewCode } from "../codes/repository.ts";
import type { Mailer } from "../emails/mailer.ts";
import { getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";
import { requestPasswordReset } from "./password.ts";
import { linkToPage } from "./password-link.ts";
import { chooseLink, type LinkOptions } from "./chosen-link.ts";
import { originOfCall } from "./password-change.ts";
import { mailPasswordCode } from "./mailed-code.ts";
import { endInvitation, holderOf } from "../codes/reset-code-repository.ts";

/** Where a code for a password goes. An empty template stands for the page of our own. */
export type ResetMedium =
  | { readonly kind: "return-code" }
  | { readonly kind: "send-link"; readonly urlTemplate: string };

/** The ports of what makes codes for passwords. */
export interface ResetOptions extends LinkOptions {
  readonly mailer: Mailer;
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
        const { toLink, isOwn } = await chooseLink(setup, tx, {
          user,
          urlTemplate: medium.urlTemplate,
          field: "send_link.url_template",
          toOwnLink: (own, made) => linkToPage(own, { userId: user.id, code: made }),
        });
        const linkedBy = isOwn ? undefined : call;
        const mail = await mailPasswordCode(setup, tx, { user, toLink, linkedBy });
        afterCommit(() => mailer.start(call.requestId, mail));
        break;
      }
    }
    const events = [requestPasswordReset(user), ...(await endInvitation(tx, holderOf(user), "replaced"))];
    return { details: changedDetails(user.details, await append(events)), code };
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
