import type { NewEvent } from "../../../src/kernel/events/event.ts";

const texts = {
  language: "de",
  texts: [{ key: "login.password.title", text: "Willkommen" }],
};

/** The ids of the texts of an organization and of the instance, and of texts that go again. */
const textIds = { customTexts: "226", defaultCustomTexts: "227", gone: "228" } as const;

/** Texts of an organization and of the instance, and others in their place. */
export function textEvents(of: {
  readonly organization: string;
  readonly instance: string;
}): readonly NewEvent[] {
  const owners = [
    { aggregateId: textIds.customTexts, resourceOwner: of.organization },
    { aggregateId: textIds.defaultCustomTexts, resourceOwner: of.instance },
  ];
  return owners.flatMap((about): readonly NewEvent[] => [
    { type: "custom_texts.added", ...about, payload: texts },
    { type: "custom_texts.changed", ...about, payload: { ...texts, texts: [] } },
  ]);
}

/** Texts of an organization that are removed again. */
export function goneTexts(resourceOwner: string): readonly NewEvent[] {
  const about = { aggregateId: textIds.gone, resourceOwner };
  return [
    { type: "custom_texts.added", ...about, payload: { ...texts, language: "fr" } },
    { type: "custom_texts.removed", ...about, payload: {} },
  ];
}
