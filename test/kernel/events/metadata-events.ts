import type { NewEvent } from "../../../src/kernel/events/event.ts";
import type { MetadataKind } from "../../../src/kernel/events/payloads.ts";

/** Keys of an object of each kind: one that stays, and one that goes. */
export function metadataEvents(
  ids: Readonly<Record<"human" | "organization" | "project" | "oidcApplication", string>>,
  canary: string,
): readonly NewEvent[] {
  const idOf = { ...ids, user: ids.human, application: ids.oidcApplication, group: "230" };
  const kinds: readonly MetadataKind[] = ["user", "organization", "project", "application", "group"];
  return kinds.flatMap((kind): readonly NewEvent[] => {
    const about = { aggregateId: idOf[kind], resourceOwner: ids.organization };
    const value = Buffer.from("the value").toString("base64");
    const stem = kind === "user" ? canary : kind;
    const entries = [
      { key: `${stem}-size`, value },
      { key: `${stem}-gone`, value: "" },
    ];
    return [
      { type: `${kind}.metadata.set`, ...about, payload: { entries } },
      { type: `${kind}.metadata.removed`, ...about, payload: { key: `${stem}-gone` } },
    ];
  });
}
