import {
  type FirstEvent,
  findFirstEvent,
  findProviderOfLink,
} from "../../../identity/exports/organization-repository.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { aggregateTypeOf, definitionOf } from "../../../kernel/events/catalogue.ts";
import type { AggregateType, EventType } from "../../../kernel/events/payloads.ts";
import type { OpenEvent } from "../../../kernel/events/transfer/restore.ts";
import { partlyShared, type References, type Share, shares } from "./shares.ts";

/** Something that an event names and that is not in the organization. */
export interface Stranger {
  readonly field: string;
  readonly kind: AggregateType;
  readonly id: string;
}

/** Why an event of an organization does not come along, or not as a whole. */
export type Verdict =
  | { readonly kind: "whole" }
  | { readonly kind: "without"; readonly strangers: readonly Stranger[] }
  | { readonly kind: "left-out"; readonly strangers: readonly Stranger[] };

/** What decides about an event. */
export type Decided = Pick<OpenEvent, "type" | "aggregate_id" | "payload">;

/** Decides about the events that an organization owns. Everything is looked up in the log, and the last answers are remembered. */
export interface Inside {
  decide(tx: ReadTransaction, event: Decided): Promise<Verdict>;
}

const mostRemembered = 10_000;
const whole: Verdict = { kind: "whole" };

/** Returns what becomes of events of the type. Throws for one that is not known. */
export function shareOf(type: string): Share {
  definitionOf(type);
  return shares[type as EventType]; // the catalogue has it
}

/** Creates the decision for an organization. */
export function createInside(organizationId: string): Inside {
  const remembered = new Map<string, readonly Stranger[] | undefined>();

  /** Undefined: the object is in the organization. */
  const findWhyOutside = async (
    tx: ReadTransaction,
    kind: AggregateType,
    id: string,
  ): Promise<readonly Stranger[] | undefined> => {
    if (kind === "organization" || kind === "instance") return id === organizationId ? undefined : [];
    const key = `${kind} ${id}`;
    if (remembered.has(key)) return remembered.get(key);
    const first = await findFirstEvent(tx, kind, id);
    const found = first?.resourceOwner === organizationId ? await findWhyFirstStays(tx, first) : [];
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(key, found);
    return found;
  };
  const findWhyFirstStays = async (tx: ReadTransaction, { type, payload }: FirstEvent) => {
    const share = shareOf(type);
    if (share.kind === "instance") return [];
    if (share.kind !== "bound") return undefined;
    const strangers = await listStrangers(tx, share.to, payload);
    return strangers.length === 0 ? undefined : strangers;
  };
  const listStrangers = async (tx: ReadTransaction, references: References, payload: object) => {
    const strangers: Stranger[] = [];
    const values = payload as Readonly<Record<string, unknown>>; // its fields are looked at one by one
    for (const [field, kind] of Object.entries(references)) {
      const ids = [values[field] ?? []].flat().map((value) => (kind === "instance" ? "" : String(value)));
      for (const id of ids)
        if ((kind === "instance" || id !== "") && (await findWhyOutside(tx, kind, id)) !== undefined)
          strangers.push({ field, kind, id });
    }
    return strangers;
  };
  const decideOne = async (tx: ReadTransaction, { type, aggregate_id: id, payload }: Decided) => {
    const share = shareOf(type);
    switch (share.kind) {
      case "own":
        return whole;
      case "instance":
        return { kind: "left-out", strangers: [] } as const;
      case "bound": {
        const strangers = await listStrangers(tx, share.to, payload);
        return strangers.length === 0 ? whole : ({ kind: "left-out", strangers } as const);
      }
      case "link": {
        const linkId = String((payload as { readonly link_id?: unknown }).link_id);
        const idpId = await findProviderOfLink(tx, id, linkId);
        const strangers = await listStrangers(tx, { idp_id: "identity_provider" }, { idp_id: idpId });
        return strangers.length === 0 ? whole : ({ kind: "left-out", strangers } as const);
      }
      case "loosened": {
        const strangers = await listStrangers(tx, share.from, payload);
        return strangers.length === 0 ? whole : ({ kind: "without", strangers } as const);
      }
    }
  };
  return {
    async decide(tx, event) {
      const verdict = await decideOne(tx, event);
      const kind = aggregateTypeOf(event.type as EventType); // decideOne has found it
      if (verdict.kind === "left-out" || !partlyShared.has(kind)) return verdict;
      const strangers = await findWhyOutside(tx, kind, event.aggregate_id);
      return strangers === undefined ? verdict : { kind: "left-out", strangers };
    },
  };
}
