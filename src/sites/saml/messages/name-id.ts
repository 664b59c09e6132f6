import { nameIdFormatUris } from "../../../identity/applications/saml/saml-settings.ts";
import type { SamlNameId } from "../../../identity/logins/saml-participations/saml-participation.ts";
import { attributeOf } from "../../../kernel/xml/document.ts";
import type { TextElement } from "../../../kernel/xml/text-document.ts";
import { element, type XmlFragment } from "../../../kernel/xml/write.ts";
import { textOf } from "./elements.ts";
import type { SamlDeclaration } from "./identifiers.ts";

/** A name of a user as a service provider states it: SAML Core §2.2.3. Plain data, which may be stored as JSON. */
export interface StatedNameId {
  /** Not empty. */
  readonly value: string;
  /** A URI of any kind; undefined when it is not said. */
  readonly format: string | undefined;
  readonly nameQualifier: string | undefined;
  readonly spNameQualifier: string | undefined;
}

/** Reads a NameID. Raises a SamlFault when its text is empty, or more than one run of text. */
export function readNameId(nameId: TextElement): StatedNameId {
  return {
    value: textOf(nameId),
    format: attributeOf(nameId, "Format"),
    nameQualifier: attributeOf(nameId, "NameQualifier"),
    spNameQualifier: attributeOf(nameId, "SPNameQualifier"),
  };
}

/** Writes a NameID. In a message, where no element around it does so, it `declares` its prefix. */
export function writeNameId(
  { value, format, nameQualifier, spNameQualifier }: SamlNameId,
  declares: SamlDeclaration | undefined,
): XmlFragment {
  return element(
    "saml:NameID",
    {
      ...declares,
      Format: nameIdFormatUris[format],
      NameQualifier: nameQualifier,
      SPNameQualifier: spNameQualifier,
    },
    [value],
  );
}
