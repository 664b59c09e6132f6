import type { Details } from "../../kernel/base/details.ts";
import type { CustomTextsId } from "../../kernel/base/ids.ts";
import { isVisible } from "../../kernel/base/names/visible-name.ts";
import { type FieldViolation, notFound, type Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { CustomTextsPayload } from "../../kernel/events/text-payloads.ts";
import { findLanguage, type Language, languages } from "./languages.ts";
import { listPlaceholders, listTexts } from "./languages/words.ts";

/** Texts by their keys. */
export type TextsByKey = ReadonlyMap<string, string>;

/** The texts that an organization, or the instance, has in one language in place of the defaults. */
export interface StoredCustomTexts {
  readonly id: CustomTextsId;
  readonly language: string;
  readonly texts: TextsByKey;
  /** The resource owner is the organization, or the instance. */
  readonly details: Details;
}

/** A text as a caller sends it. */
export interface ChangedText {
  readonly key: string;
  readonly text: string;
}

/** What always says the same: the start page, which is about the product. */
const fixed = /^front\./;

/**
 * What only the instance changes: what users must be able to trust whatever organization they are at. The pages that ask what an
 * application may learn, that let a device in, that ask whose factors these are, with every button on them, and the mails that tell
 * of changed ways to sign in; and pages that do not know the organization, such as those of errors and of a setup.
 */
const ofInstance =
  /^(?:notices|account\.refused|login\.(?:errors|retry|requestId|logout|setup|confirm|device|reviewFactors|continue|cancel|back|otherWay|toAccount|handOver|legal|account\.another|resetPassword|invitation\.done|invitation\.doneTitle))(?:\.|$)/;

/** The texts of a language that can be changed, by an organization or by the instance. */
export function listChangeable({ words }: Pick<Language, "words">): readonly (readonly [string, string])[] {
  return listTexts(words).filter(([key]) => !fixed.test(key));
}

/** Says whether organizations may change a text. */
export function isChangeableByOrganizations(key: string): boolean {
  return !ofInstance.test(key);
}

/** Returns a violation for a language that the service does not speak. */
export function checkTextLanguage(tag: string): readonly FieldViolation[] {
  if (languages.some((language) => language.tag === tag)) return [];
  const description = `must be one of ${languages.map((language) => language.tag).join(", ")}`;
  return [{ field: "language", description }];
}

/** Returns a violation for each text that cannot stand in place of its default. */
export function checkCustomTexts(
  of: "organization" | "instance",
  { language: tag, texts }: { readonly language: string; readonly texts: readonly ChangedText[] },
): readonly FieldViolation[] {
  const unknown = checkTextLanguage(tag);
  const language = findLanguage(tag);
  if (language === undefined || unknown.length > 0) return unknown;
  const defaults = new Map(listChangeable(language));
  return texts.flatMap(({ key, text }, index): readonly FieldViolation[] => {
    const keyFault = findKeyFault(of, key, defaults);
    if (keyFault !== undefined) return [{ field: `texts[${index}].key`, description: keyFault }];
    if (texts.findIndex((other) => other.key === key) !== index)
      return [{ field: `texts[${index}].key`, description: "must not be there twice" }];
    const fault = findTextFault(text, defaults.get(key) ?? "") ?? findSmsFault(key, text);
    return fault === undefined ? [] : [{ field: `texts[${index}].text`, description: fault }];
  });
}

function findKeyFault(of: "organization" | "instance", key: string, defaults: TextsByKey) {
  if (!defaults.has(key)) return "must be the key of a text that can be changed";
  if (of === "organization" && !isChangeableByOrganizations(key))
    return "is changed on the instance only: users rely on it whatever organization they are at";
  return undefined;
}

/** An SMS is paid for by its length. */
function findSmsFault(key: string, text: string): string | undefined {
  if (!key.startsWith("sms.") || text.length <= maxSmsLength) return undefined;
  return `must have at most ${maxSmsLength} characters in an SMS`;
}

const maxSmsLength = 300;

/** Says why a text cannot stand in place of a default; undefined: it can. */
export function findTextFault(text: string, standard: string): string | undefined {
  const wanted = [...new Set(listPlaceholders(standard))].toSorted();
  const found = [...new Set(listPlaceholders(text))].toSorted();
  if (wanted.join() !== found.join()) {
    const list = wanted.map((name) => `{${name}}`).join(", ");
    return wanted.length === 0
      ? "must not have placeholders"
      : `must have the placeholders ${list} and no others`;
  }
  if (text.trim() !== text) return "must not begin or end with a space";
  const controls = standard.includes("\n") ? /[^\P{Cc}\n]/u : /\p{Cc}/u;
  if (controls.test(text) || !isVisible(text))
    return "must be plain text, without control characters or invisible ones";
  if (linkLike.test(text.normalize("NFKC")))
    return "must not have ://, www., @, or a dot with a letter behind it: programs would make a link of it";
  return undefined;
}

const linkLike = /:\/\/|www\.|@|\S\.[\p{L}\p{N}{]|\}\.[\p{L}\p{N}]/iu;

/** Decides to set the first texts of an owner in a language. */
export function addCustomTexts(custom: {
  readonly id: CustomTextsId;
  readonly resourceOwner: string;
  readonly language: string;
  readonly texts: readonly ChangedText[];
}): NewEvent {
  const { id: aggregateId, resourceOwner, language, texts } = custom;
  return { type: "custom_texts.added", aggregateId, resourceOwner, payload: toPayload(language, texts) };
}

/** Decides to replace the texts; no events when they are the same. */
export function changeCustomTexts(
  stored: StoredCustomTexts,
  texts: readonly ChangedText[],
): readonly NewEvent[] {
  const payload = toPayload(stored.language, texts);
  const same = toPayload(
    stored.language,
    [...stored.texts].map(([key, text]) => ({ key, text })),
  );
  if (JSON.stringify(payload) === JSON.stringify(same)) return [];
  return [{ ...aggregateOf(stored), type: "custom_texts.changed", payload }];
}

/** Decides to remove the texts, so that the defaults hold. */
export function removeCustomTexts(stored: StoredCustomTexts): NewEvent {
  return { ...aggregateOf(stored), type: "custom_texts.removed", payload: {} };
}

/** Returns the problem of an owner without texts in a language. */
export function customTextsNotFound(owner: string, language: string): Problem {
  return notFound("custom_texts", `${owner} ${language}`);
}

function aggregateOf({ id, details }: StoredCustomTexts) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}

/** In the order of the keys, so that the same texts are the same payload. */
function toPayload(language: string, texts: readonly ChangedText[]): CustomTextsPayload {
  const ordered = texts.map(({ key, text }) => ({ key, text }));
  return { language, texts: ordered.toSorted((left, right) => (left.key < right.key ? -1 : 1)) };
}
