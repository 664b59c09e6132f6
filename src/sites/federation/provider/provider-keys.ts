import type { Clock } from "../../../kernel/base/clock.ts";
import { type ClientAlgorithm, isKeyOf } from "../../../kernel/base/jws.ts";
import { parseEmbeddedKey, type PublicJwk } from "../../../kernel/base/public-key.ts";
import { parseObject, withoutNulls } from "./json.ts";
import { type ProviderFetch, providerLimits } from "./provider-fetch.ts";
import { ProviderFailure } from "./provider-failure.ts";
import { createRemembered, type Wait } from "./remembered.ts";

/** Where a provider publishes its keys. */
export interface KeySource {
  readonly providerId: string;
  /** Of a JSON Web Key Set, or of one key (RFC 7517 §4, §5). */
  readonly url: string;
}

/** The keys that providers sign with. */
export interface ProviderKeys {
  /**
   * Finds the keys that may have signed something with that header; none: no key of the provider fits. They are read at most once
   * an hour, or once a minute for a `kid` that is unknown. Raises a ProviderFailure if they cannot be read. `wait`: as in
   * Remembered.
   */
  find(source: KeySource, header: SignedHeader, wait?: Wait): Promise<readonly PublicJwk[]>;
  /**
   * Finds those keys once more, after none that `find` returned has signed it: the provider may have changed a key and kept its
   * name. They are read again for that at most once a minute, and not if they were just read for the same signature.
   */
  findAgain(source: KeySource, header: SignedHeader, wait?: Wait): Promise<readonly PublicJwk[]>;
}

/** The parts of a header that name the key of a signature. */
export interface SignedHeader {
  readonly kid: string | undefined;
  readonly algorithm: ClientAlgorithm;
  /** Says whether a key that the provider lists for one issuer may have signed it. Default: nobody looks at such a member. */
  readonly isOfIssuer?: ((issuer: string) => boolean) | undefined;
}

interface KeySet {
  readonly keys: readonly ProviderKey[];
  /** How many signatures were looked at with it. */
  readonly uses: { count: number };
}

interface ProviderKey {
  readonly jwk: PublicJwk;
  /** Undefined: the provider gives it no name, so that any may be meant. */
  readonly kid: string | undefined;
  /** Undefined: any algorithm of the key. */
  readonly algorithm: string | undefined;
  /** Undefined: the provider does not say of which of its issuers it is, as most have one. */
  readonly issuer: string | undefined;
}

const maxAgeMs = 3_600_000;
/** Keys that may have changed within the hour are read again so often. */
const againMs = 60_000;
const failureMs = 5_000;
/** Providers move their keys, and leave a redirect. */
const maxRedirects = 3;
/** More sets are read again when they are needed. */
const maxSets = 200;
/** More keys of a set are not looked at: signers have a few. */
const maxKeys = 50;

/** Creates the keys, of which nothing is read yet. */
export function createProviderKeys({
  clock,
  fetcher,
}: {
  readonly clock: Clock;
  readonly fetcher: ProviderFetch;
}): ProviderKeys {
  const sets = createRemembered<KeySet>({ clock, maxEntries: maxSets });
  const ofHour = (source: KeySource, wait?: Wait) => get(source, { maxAgeMs, failureMs, wait });
  const ofMinute = (source: KeySource, wait?: Wait) =>
    get(source, { maxAgeMs: againMs, failureMs: againMs, wait });
  const get = ({ providerId, url }: KeySource, how: Omit<Parameters<typeof sets.get>[1], "load">) =>
    sets.get(`${providerId} ${url}`, { ...how, load: () => readKeys(fetcher, url) });
  const renew = ({ providerId, url }: KeySource, wait?: Wait) =>
    sets.renew(`${providerId} ${url}`, { everyMs: againMs, load: () => readKeys(fetcher, url), wait });
  return {
    async find(source, header, wait) {
      const set = await ofHour(source, wait);
      set.uses.count += 1;
      const known = choose(set.keys, header);
      return known.length > 0 ? known : choose((await ofMinute(source, wait)).keys, header);
    },
    async findAgain(source, header, wait) {
      const { kid } = header;
      const set = await ofHour(source, wait);
      const isOther = kid !== undefined && !set.keys.some((key) => key.kid === kid);
      if (isOther) return choose((await ofMinute(source, wait)).keys, header);
      if (set.uses.count === 1) return [];
      const renewed = await renew(source, wait);
      renewed.uses.count += 1;
      return choose(renewed.keys, header);
    },
  };
}

function choose(
  keys: readonly ProviderKey[],
  { kid, algorithm, isOfIssuer = () => true }: SignedHeader,
): readonly PublicJwk[] {
  const fits = (key: ProviderKey) =>
    isKeyOf(algorithm, key.jwk) &&
    (key.algorithm === undefined || nameOf(key.algorithm) === nameOf(algorithm)) &&
    (kid === undefined || key.kid === undefined || key.kid === kid) &&
    (key.issuer === undefined || isOfIssuer(key.issuer));
  return keys.filter(fits).map(({ jwk }) => jwk);
}

/** RFC 9864 §2.2 has a second name for the only curve of EdDSA that is used here. */
function nameOf(algorithm: string): string {
  return algorithm === "Ed25519" ? "EdDSA" : algorithm;
}

async function readKeys(fetcher: ProviderFetch, url: string): Promise<KeySet> {
  const answer = await fetcher.get(url, { ...providerLimits, maxRedirects });
  if (answer.kind !== "document") throw new ProviderFailure("unavailable", `keys ${answer.kind}`);
  const document = parseObject(answer.bytes);
  if (document === undefined) throw new ProviderFailure("unavailable", "keys unreadable");
  const { keys = [document] } = document;
  if (!Array.isArray(keys)) throw new ProviderFailure("unavailable", "keys unreadable");
  return { keys: keys.slice(0, maxKeys).flatMap(toProviderKey), uses: { count: 0 } };
}

/** A key for something else than signatures, or of a kind that is not taken, is left out (RFC 7517 §5). */
function toProviderKey(value: unknown): readonly ProviderKey[] {
  if (typeof value !== "object" || value === null) return [];
  const members = withoutNulls(value as Readonly<Record<string, unknown>>); // an object, whatever its members
  const jwk = parseEmbeddedKey(members);
  if (jwk === undefined) return [];
  const { use = "sig", key_ops: uses = ["verify"], kid, alg, issuer } = members;
  if (use !== "sig" || !Array.isArray(uses) || !uses.includes("verify")) return [];
  return [{ jwk, kid: toText(kid), algorithm: toText(alg), issuer: toText(issuer) }];
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
