import type { NewEvent } from "../../../src/kernel/events/event.ts";

/** Ids of the sample. */
export const linkIds = { link: "61", removedLink: "62" } as const;

const issuer = "https://idp.test";

/** Links to identities at both providers. One is questioned and kept, the other removed. */
export function linkEvents(of: {
  readonly aggregateId: string;
  readonly resourceOwner: string;
  /** What stands in every personal field. */
  readonly canary: string;
  readonly tokenId: string;
  readonly providers: readonly [string, string];
}): readonly NewEvent[] {
  const { canary, tokenId, providers, ...about } = of;
  const [first, second] = providers;
  const { link, removedLink } = linkIds;
  return [
    {
      type: "user.idp_link.added",
      ...about,
      payload: {
        link_id: link,
        idp_id: first,
        issuer,
        external_user_id: `${canary}-external-id`,
        external_username: `${canary}-external-name`,
        made_with_token_id: tokenId,
      },
    },
    { type: "user.idp_link.questioned", ...about, payload: { link_id: link } },
    { type: "user.idp_link.kept", ...about, payload: { link_id: link } },
    {
      type: "user.idp_link.added",
      ...about,
      payload: { link_id: removedLink, idp_id: second, issuer, external_user_id: `${canary}-other-id` },
    },
    { type: "user.idp_link.removed", ...about, payload: { link_id: removedLink } },
  ];
}

/** A policy that lists both providers, and then only the first. */
export function offerEvents(of: {
  readonly id: string;
  readonly owner: string;
  readonly providers: readonly [string, string];
}): readonly NewEvent[] {
  const about = { aggregateId: of.id, resourceOwner: of.owner };
  const added = of.providers.map(
    (id): NewEvent => ({ type: "login_policy.idp.added", ...about, payload: { idp_id: id } }),
  );
  return [...added, { type: "login_policy.idp.removed", ...about, payload: { idp_id: of.providers[1] } }];
}
