import type { NewEvent } from "../../../src/kernel/events/event.ts";

/** Ids of keys: one stays and signs, one stays and is retired, one goes. */
interface KeyIds {
  readonly signing: string;
  readonly retired: string;
  readonly former: string;
}

/** Returns all that happens to keys of one use. */
export function useSigningKeys(
  resourceOwner: string,
  ids: KeyIds,
  kind: { readonly use: "oidc" | "saml"; readonly certificate?: string },
): readonly NewEvent[] {
  const { use } = kind;
  const payload = { ...kind, algorithm: "RS256", public_key: '{"kty":"RSA"}', state: "NEXT" };
  return [
    ...[ids.signing, ids.retired, ids.former].map(
      (aggregateId): NewEvent => ({ type: "signing_key.added", aggregateId, resourceOwner, payload }),
    ),
    { type: "signing_key.activated", aggregateId: ids.signing, resourceOwner, payload: { use } },
    {
      type: "signing_key.retired",
      aggregateId: ids.retired,
      resourceOwner,
      payload: { use, expiration_date: "2027-01-01T00:00:00.000Z" },
    },
    { type: "signing_key.removed", aggregateId: ids.former, resourceOwner, payload: { use } },
  ];
}
