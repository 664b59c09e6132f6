import type { Clock } from "../../../kernel/base/clock.ts";
import type { SamlApplication } from "./saml-application.ts";
import { readServiceProvider, type ServiceProvider } from "./service-provider.ts";

/** Reads the metadata of applications, and keeps what it has read. One for the process. */
export interface ServiceProviderReader {
  /** Returns the service provider as the metadata in force describes it; undefined when there is none. */
  read(application: Pick<SamlApplication, "id" | "saml">): ServiceProvider | undefined;
}

/** How many are kept, and how many characters their documents have in all: a parsed one may hold on to its document. */
const limits = { count: 1000, characters: 16_000_000 };

/**
 * Creates a reader. What is kept counts only for the same document with the same date, so that no document is taken for another,
 * whatever became of the write that brought it. Those that were not used for the longest time go first.
 */
export function createServiceProviderReader({
  clock,
  dev,
  maxCount = limits.count,
  maxCharacters = limits.characters,
}: {
  readonly clock: Clock;
  /** Allows http locations on loopback. */
  readonly dev: boolean;
  readonly maxCount?: number;
  readonly maxCharacters?: number;
}): ServiceProviderReader {
  const kept = new Map<string, Kept>();
  let characters = 0;
  const forget = (id: string) => {
    characters -= kept.get(id)?.xml.length ?? 0;
    kept.delete(id);
  };
  return {
    read({ id, saml: { metadata } }) {
      if (metadata === undefined) return undefined;
      const { xml, validUntilMs } = metadata;
      const found = kept.get(id);
      const isSame = found?.xml === xml && found.validUntilMs === validUntilMs;
      const serviceProvider = isSame
        ? found.serviceProvider
        : readServiceProvider(xml, { dev, nowMs: clock.nowMs(), validUntilMs });
      forget(id);
      kept.set(id, { xml, validUntilMs, serviceProvider });
      characters += xml.length;
      for (const oldest of kept.keys()) {
        if (kept.size <= maxCount && characters <= maxCharacters) break;
        forget(oldest);
      }
      return serviceProvider;
    },
  };
}

interface Kept {
  readonly xml: string;
  readonly validUntilMs: number | undefined;
  readonly serviceProvider: ServiceProvider;
}
