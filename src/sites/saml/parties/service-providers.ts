import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId } from "../../../kernel/base/ids.ts";
import {
  findSamlApplicationInPlace,
  findSamlApplicationUse,
  type SamlApplicationInPlace,
} from "../../../identity/applications/saml/place-repository.ts";
import type { ServiceProvider } from "../../../identity/applications/saml/service-provider.ts";
import type { ServiceProviderReader } from "../../../identity/applications/saml/service-provider-reader.ts";

/** A service provider that we know: its metadata in force, its settings (`application.saml.settings`), and what it belongs to. */
export interface KnownServiceProvider extends SamlApplicationInPlace {
  readonly serviceProvider: ServiceProvider;
  /** Whether application, project and organization are ACTIVE. Nobody else is answered. */
  readonly isActive: boolean;
}

/** The sender of a message. */
export interface FoundSender {
  readonly applicationId: ApplicationId;
  /**
   * Undefined: application, project or organization is not ACTIVE. Of such a sender nothing more is read, so that it takes no longer to
   * refuse than one that there is not.
   */
  readonly active: KnownServiceProvider | undefined;
}

/** The applications that messages come from and go to. */
export interface ServiceProviders {
  /** Finds it by the Issuer of its messages, byte for byte. Undefined: no metadata in force has that entity id. */
  findByEntityId(tx: ReadTransaction, entityId: string): Promise<FoundSender | undefined>;
  /** Finds it by the id of the application. Undefined also for one without metadata. */
  findById(tx: ReadTransaction, applicationId: string): Promise<KnownServiceProvider | undefined>;
}

/** Creates the finder. */
export function createServiceProviders(reader: ServiceProviderReader): ServiceProviders {
  const toKnown = (found: SamlApplicationInPlace | undefined): KnownServiceProvider | undefined => {
    if (found === undefined) return undefined;
    const serviceProvider = reader.read(found.application);
    if (serviceProvider === undefined) return undefined;
    const isActive = [found.application, found.project, found.organization].every(
      ({ state }) => state === "ACTIVE",
    );
    return { ...found, serviceProvider, isActive };
  };
  return {
    async findByEntityId(tx, entityId) {
      const used = await findSamlApplicationUse(tx, entityId);
      if (used === undefined) return undefined;
      const { id: applicationId, isActive } = used;
      const active = isActive ? toKnown(await findSamlApplicationInPlace(tx, applicationId)) : undefined;
      return { applicationId, active };
    },
    findById: async (tx, id) => toKnown(await findSamlApplicationInPlace(tx, id)),
  };
}
