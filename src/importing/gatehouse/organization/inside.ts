import {
  type FirstEvent,
  findFirstEvent,
  findProviderOfLink,
} from "../../../identity/exports/organization-repository.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { aggregateTypeOf, definitionOf } from "../../../kernel/events/catalogue.ts";
import type { AggregateType, EventType } from "../../../kernel/events/payloads.ts";
import type { OpenEvent } from "../../../kernel/events/transfer/restore.ts";
import { partlyShared, type NamedObjects, type EventShare, shares } from "./shares.ts";

/** Something that an event names and that is not in the organization. */
export interface Outsider {
  readonly field: string;
  readonly kind: AggregateType;
  readonly id: string;
}

/** Why an event of an organization does not come along, or not as a whole. */
export type Verdict =
  | { readonly kind: "whole" }
  | { readonly kind: "without"; readonly outsiders: readonly Outsider[] }
  | { readonly kind: "left-out"; readonly outsiders: readonly Outsider[] };

/** What decides about an event. */
export type Decided = Pick<OpenEvent, "type" | "aggregate_id" | "payload">;

/** Decides about the events that an organization owns. Everything is looked up in the log, and the last answers are remembered. */
export interface Inside {
  decide(tx: ReadTransaction, event: Decided): Promise<Verdict>;
}

const mostRemembered = 10_000;
const whole: Verdict = { kind: "whole" };

/** Returns the rule for events of the type. Throws for a type that is not known. */
export function shareOf(type: string): EventShare {
  definitionOf(type);
  return shares[type as EventType]; // the catalogue has it
}

/** Creates the decision for an organization. */
export function createInside(organizationId: string): Inside {
  const look: Look = { organizationId, remembered: new Map() };
  return {
    async decide(tx, event) {
      const verdict = await decideAlone(tx, look, event);
      const kind = aggregateTypeOf(event.type as EventType); // decideAlone has found it
      if (verdict.kind === "left-out" || !partlyShared.has(kind)) return verdict;
      const outsiders = await findWhyOutside(tx, look, { kind, id: event.aggregate_id });
      return outsiders === undefined ? verdict : { kind: "left-out", outsiders };
    },
  };
}

/** What is remembered of objects: why they are outside, undefined if they are not. */
interface Look {
  readonly organizationId: string;
  readonly remembered: Map<string, readonly Outsider[] | undefined>;
}

async function decideAlone(
  tx: ReadTransaction,
  look: Look,
  { type, aggregate_id: id, payload }: Decided,
): Promise<Verdict> {
  const share = shareOf(type);
  const toVerdict = (kind: "left-out" | "without", outsiders: readonly Outsider[]): Verdict =>
    outsiders.length === 0 ? whole : { kind, outsiders };
  switch (share.kind) {
    case "own":
      return whole;
    case "instance":
      return { kind: "left-out", outsiders: [] };
    case "bound":
      return toVerdict("left-out", await listOutsiders(tx, look, share.to, payload));
    case "link": {
      const { link_id: linkId } = payload as { readonly link_id: string }; // every event of a link names it
      const idpId = await findProviderOfLink(tx, id, linkId);
      const named = { idp_id: "identity_provider" } as const;
      return toVerdict("left-out", await listOutsiders(tx, look, named, { idp_id: idpId }));
    }
    case "loosened":
      return toVerdict("without", await listOutsiders(tx, look, share.from, payload));
  }
}

/** Undefined: the object is in the organization. */
async function findWhyOutside(
  tx: ReadTransaction,
  look: Look,
  { kind, id }: Pick<Outsider, "kind" | "id">,
): Promise<readonly Outsider[] | undefined> {
  const { organizationId, remembered } = look;
  if (kind === "organization" || kind === "instance") return id === organizationId ? undefined : [];
  const key = `${kind} ${id}`;
  if (remembered.has(key)) return remembered.get(key);
  const first = await findFirstEvent(tx, kind, id);
  const found = first?.resourceOwner === organizationId ? await findWhyFirstStays(tx, look, first) : [];
  if (remembered.size >= mostRemembered) remembered.clear();
  remembered.set(key, found);
  return found;
}

async function findWhyFirstStays(tx: ReadTransaction, look: Look, { type, payload }: FirstEvent) {
  const share = shareOf(type);
  if (share.kind === "instance") return [];
  if (share.kind !== "bound") return undefined;
  const outsiders = await listOutsiders(tx, look, share.to, payload);
  return outsiders.length === 0 ? undefined : outsiders;
}

async function listOutsiders(
  tx: ReadTransaction,
  look: Look,
  references: NamedObjects,
  payload: object,
): Promise<readonly Outsider[]> {
  const outsiders: Outsider[] = [];
  const values = payload as Readonly<Record<string, string | readonly string[] | true | undefined>>; // ids, or that it is the instance
  for (const [field, kind] of Object.entries(references)) {
    const value = values[field] ?? [];
    const ids = value === true ? [""] : [value].flat().filter((id) => id !== "");
    for (const id of ids)
      if ((await findWhyOutside(tx, look, { kind, id })) !== undefined) outsiders.push({ field, kind, id });
  }
  return outsiders;
}
