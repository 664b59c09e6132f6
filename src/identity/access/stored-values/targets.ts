import type { StoredValue } from "./stored-value.ts";

/** The values of targets: events leave the service by them. */
export const valuesOfTargets: readonly StoredValue[] = [
  {
    value: "where the events of an organization, or of the instance, are posted to, and which",
    setBy: [
      { calls: ["AddTarget"], fields: ["url", "event_types", "instance"] },
      { calls: ["UpdateTarget"], fields: ["event_types"] },
      { calls: ["ReactivateTarget"] },
      { calls: ["Redeliver"], fields: ["from_sequence"] },
    ],
    lets: "the receiver learn what the caller may read, for as long as the caller may read it",
    needs: ["permission"],
    because:
      "it takes event.read on all of it, too, and nothing is delivered that a token made in the call would not carry",
  },
  {
    value: "the URL of a target, with signing secrets that another receiver knows",
    setBy: [{ calls: ["UpdateTarget"], fields: ["url"] }],
    lets: "the owner of the URL get signatures that the former receiver takes",
    needs: ["permission", "secret-again"],
  },
  {
    value: "what deliveries are signed with",
    setBy: [
      { calls: ["AddTarget", "UpdateTarget", "AddTargetSecret"], fields: ["signing_secret"] },
      { calls: ["AddTargetSecret", "RemoveTargetSecret"] },
    ],
    lets: "anybody who knows the secret sign what the receiver takes for events of ours",
    needs: ["permission"],
  },
];
