import type { Clock } from "../../base/clock.ts";
import { type ClientAlgorithm, isKeyOf } from "../../base/jws.ts";
import { parseEmbeddedKey, type PublicJwk } from "../../base/public-key.ts";
import { parseObject } from "./json.ts";
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
   * Finds the keys that may have signed something with that header; none: no key of the provider fits. They are read at most once an
   * hour, or once a minute for a `kid` that is unknown. Raises a ProviderFailure if they cannot be read. `wait`: as in Remembered.
   */
  find(source: KeySource, header: SignedHeader, wait?: Wait): Promise<readonly PublicJwk[]>;
  /**
   * Finds those keys once more, after none that `find` returned has signed it: the provider may have changed a key without a name. They
   * are read again at most once a minute. None if the header names a key of the provider: that one has not changed.
   */
  findAgain(source: KeySource, header: SignedHeader, wait?: Wait): Promise<readonly PublicJwk[]>;
}

/** What the header of something signed says of its key. */
export interface SignedHeader {
  readonly kid: string | undefined;
  readonly algorithm: ClientAlgorithm;
}

interface ProviderKey {
  readonly jwk: PublicJwk;
  /** Undefined: the provider gives it no name, so that any may be meant. */
  readonly kid: string | undefined;
  /** Undefined: any algorithm of the key. */
  readonly algorithm: string | undefined;
}

const maxAgeMs = 3_600_000;
/** Keys that may have changed within the hour are read again so often. */
const againMs = 60_000;
const failureMs = 5_000;
/** More sets are read again when they are needed. */
const maxSets = 200;
/** More keys of a set are not looked at: whoever signs has a few. */
const maxKeys = 50;

/** Creates the keys, of which nothing is read yet. */
export function createProviderKeys({
  clock,
  fetcher,
}: {
  readonly clock: Clock;
  readonly fetcher: ProviderFetch;
}): ProviderKeys {
  const sets = createRemembered<readonly ProviderKey[]>({ clock, maxEntries: maxSets });
  const ofHour = (source: KeySource, wait?: Wait) => get(source, { maxAgeMs, failureMs, wait });
  const ofMinute = (source: KeySource, wait?: Wait) =>
    get(source, { maxAgeMs: againMs, failureMs: againMs, wait });
  const get = ({ providerId, url }: KeySource, how: Omit<Parameters<typeof sets.get>[1], "load">) =>
    sets.get(`${providerId} ${url}`, { ...how, load: () => readKeys(fetcher, url) });
  return {
    async find(source, header, wait) {
      const known = choose(await ofHour(source, wait), header);
      return known.length > 0 ? known : choose(await ofMinute(source, wait), header);
    },
    async findAgain(source, header, wait) {
      const { kid } = header;
      const isNamed = kid !== undefined && (await ofHour(source, wait)).some((key) => key.kid === kid);
      return isNamed ? [] : choose(await ofMinute(source, wait), header);
    },
  };
}

function choose(keys: readonly ProviderKey[], { kid, algorithm }: SignedHeader): readonly PublicJwk[] {
  const fits = (key: ProviderKey) =>
    isKeyOf(algorithm, key.jwk) &&
    (key.algorithm === undefined || nameOf(key.algorithm) === nameOf(algorithm)) &&
    (kid === undefined || key.kid === undefined || key.kid === kid);
  return keys.filter(fits).map(({ jwk }) => jwk);
}

/** RFC 9864 §2.2 has a second name for the only curve of EdDSA that is used here. */
function nameOf(algorithm: string): string {
  return algorithm === "Ed25519" ? "EdDSA" : algorithm;
}

async function readKeys(fetcher: ProviderFetch, url: string): Promise<readonly ProviderKey[]> {
  const answer = await fetcher.getOnce(url, providerLimits);
  if (answer.kind !== "answered") throw new ProviderFailure("unavailable", `keys ${answer.kind}`);
  if (answer.status !== 200) throw new ProviderFailure("unavailable", `keys status ${answer.status}`);
  const document = parseObject(answer.bytes);
  if (document === undefined) throw new ProviderFailure("unavailable", "keys unreadable");
  const { keys = [document] } = document;
  if (!Array.isArray(keys)) throw new ProviderFailure("unavailable", "keys unreadable");
  return keys.slice(0, maxKeys).flatMap(toProviderKey);
}

/** A key for something else than signatures, or of a kind that is not taken, is left out (RFC 7517 §5). */
function toProviderKey(value: unknown): readonly ProviderKey[] {
  const jwk = parseEmbeddedKey(value);
  if (jwk === undefined) return [];
  const { use = "sig", key_ops: uses = ["verify"], kid, alg } = value as Readonly<Record<string, unknown>>; // parsed: an object
  if (use !== "sig" || !Array.isArray(uses) || !uses.includes("verify")) return [];
  return [{ jwk, kid: toText(kid), algorithm: toText(alg) }];
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
