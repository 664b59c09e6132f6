import type { IdentityProvider } from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";

/** Props of what shows an identity provider. */
export interface ProviderViewProps {
  readonly organization: string;
  readonly provider: IdentityProvider;
  readonly mayWrite: boolean;
  /** Shows the identity provider as it is now. */
  readonly onChange: () => Promise<void>;
  /** Shows the identity provider as it is now, and returns it. */
  readonly readStored: () => Promise<IdentityProvider>;
}
