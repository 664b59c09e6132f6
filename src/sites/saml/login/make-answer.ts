import type { FeatureContext } from "../../../identity/context.ts";
import type { SamlKeys } from "../../../identity/signing-keys/saml-keys.ts";
import type { BrowserAnswer } from "../../login/browser-answer.ts";
import { entityIdOf } from "../parties/paths.ts";
import { writeAssertion } from "../messages/assertion.ts";
import { type ResponseToWrite, writeResponse } from "../messages/response.ts";
import type { LoginFailure } from "../messages/status.ts";
import { newMessageId } from "../messages/write-head.ts";
import { type MessageNotes, noteAnswered } from "../receiving/message-log.ts";
import { encryptAssertion } from "../signatures/encrypt-assertion.ts";
import { signElement } from "../../../kernel/xml/signatures/sign-element.ts";
import type { DecidedLogin } from "./decide-login.ts";
import type { SamlLoginData } from "./login-data.ts";

/** What answers are made with. */
export interface AnswerPorts extends Pick<MessageNotes, "countMessage"> {
  readonly context: Pick<FeatureContext, "random" | "clock">;
  readonly samlKeys: Pick<SamlKeys, "getSigner">;
}

/** What the answer is to. */
interface Asked {
  readonly data: SamlLoginData;
  readonly issuer: string;
}

/** Makes the answer that somebody has logged in: assertion and Response are both signed, the assertion before it is encrypted. */
export async function makeSuccess(
  ports: AnswerPorts,
  { decided, ...asked }: Asked & { readonly decided: DecidedLogin },
): Promise<BrowserAnswer> {
  const { assertion, encryption } = decided;
  const { random } = ports.context;
  const signed = await signElement(writeAssertion(assertion), await ports.samlKeys.getSigner());
  const outcome = encryption === undefined ? signed : encryptAssertion(signed, { to: encryption, random });
  noteAnswered(ports, "success");
  return await toAnswer(ports, asked, outcome);
}

/** Makes the answer that nobody has. It says no more than the status (SAML Core §3.2.2.2). */
export async function makeFailure(
  ports: AnswerPorts,
  { failure, ...asked }: Asked & { readonly failure: LoginFailure },
): Promise<BrowserAnswer> {
  noteAnswered(ports, failure);
  return await toAnswer(ports, asked, failure);
}

/** SAML Bindings §3.5.4: the RelayState comes back with it, if there was one. */
async function toAnswer(
  { context, samlKeys }: AnswerPorts,
  { data, issuer }: Asked,
  outcome: ResponseToWrite["outcome"],
): Promise<BrowserAnswer> {
  const response = writeResponse({
    id: newMessageId(context.random),
    issuer: entityIdOf(issuer),
    destination: data.acs,
    nowMs: context.clock.nowMs(),
    inResponseTo: data.request?.id,
    outcome,
  });
  const { xml } = await signElement(response, await samlKeys.getSigner());
  return {
    kind: "form-post",
    action: data.acs,
    fields: {
      SAMLResponse: Buffer.from(xml).toString("base64"),
      ...(data.relayState === undefined ? {} : { RelayState: data.relayState }),
    },
  };
}
