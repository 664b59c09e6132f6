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

/** Claims of an application and of its project, with a mark each, and what an organization shares for such. */
export function claimEvents(
  ids: Readonly<Record<"organization" | "project" | "oidcApplication" | "human", string>>,
): readonly NewEvent[] {
  const constant = {
    name: "tier",
    source: "CONSTANT",
    key: "",
    profile_field: "",
    constant: "gold",
    type: "STRING",
    targets: ["ID_TOKEN", "SAML"],
    scope: "hr",
    author_id: "",
  };
  const size = {
    ...constant,
    name: "size",
    source: "USER_METADATA",
    key: "size",
    constant: "",
    author_id: ids.human,
  };
  const about = { resourceOwner: ids.organization };
  const ofProject = { aggregateId: ids.project, ...about };
  const ofApplication = { aggregateId: ids.oidcApplication, ...about };
  const shared = [{ key: "size", shared_with: [ids.organization] }];
  return [
    { type: "project.claims.set", ...ofProject, payload: { mappings: [constant] } },
    { type: "project.claim.left_out", ...ofProject, payload: { name: "tier" } },
    { type: "application.claims.set", ...ofApplication, payload: { mappings: [size, constant] } },
    { type: "application.claim.left_out", ...ofApplication, payload: { name: "size" } },
    { type: "application.claims.set", ...ofApplication, payload: { mappings: [size] } },
    { type: "organization.metadata.shared", aggregateId: ids.organization, ...about, payload: { shared } },
  ];
}
