import { PageRefusal } from "../../login/page-refusal.ts";
import { SamlFault } from "../bindings/saml-fault.ts";
import { type MessageNotes, noteRefused } from "../receiving/message-log.ts";
import type { KnownServiceProvider } from "../parties/service-providers.ts";
import { type EncryptionTarget, hasUsableCipher } from "../signatures/encrypt-assertion.ts";

/**
 * Decides which key assertions are encrypted for; undefined: for nobody. Raises the page of an application that demands encryption,
 * and whose metadata has no key that we could encrypt with; the log says so. The service provider is not answered.
 */
export function chooseEncryption(
  notes: MessageNotes,
  {
    application,
    serviceProvider: { encryption },
  }: Pick<KnownServiceProvider, "application" | "serviceProvider">,
): EncryptionTarget | undefined {
  const wanted = application.saml.settings.encryption;
  if (wanted === "NEVER") return undefined;
  if (encryption !== undefined && hasUsableCipher(encryption.ciphers)) return encryption;
  if (wanted !== "REQUIRED") return undefined;
  const fault = new SamlFault("encryption", "the metadata must have a key to encrypt with");
  noteRefused(notes, fault, { kind: "login-answer", binding: "post", applicationId: application.id });
  throw new PageRefusal("wrong-application-settings");
}
