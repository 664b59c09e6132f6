import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type { User } from "../../../gen/console/gatehouse/v1/user_pb.ts";
import type { HeldPermissions, PermissionScope } from "./permissions.ts";

/** What components need of the service. */
export interface Api {
  /** Returns the transport for calls within an organization; undefined: for calls that need none. */
  transport(organizationId: string | undefined): Transport;
  readonly permissions: HeldPermissions;
  /** The user who is signed in. */
  readonly user: User;
  /** The organization of the place, whose objects the pages show. */
  readonly organizationId: string | undefined;
  /** Reads the permissions again, for example after the user has got an organization of their own. */
  refreshPermissions(): Promise<void>;
}

/** Gives the service to all components; the app provides it. */
export const ApiContext = createContext<Api | undefined>(undefined);

/** Gives access to the service, the user and the permissions. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (api === undefined) throw new Error("a component stands outside of the app");
  return api;
}

/** Returns a client of the service, for calls within the organization of the place or within another one. */
export function useClient<Service extends DescService>(
  service: Service,
  organizationId?: string,
): Client<Service> {
  const { transport, organizationId: ofPlace } = useApi();
  const organization = organizationId ?? ofPlace;
  return useMemo(() => createClient(service, transport(organization)), [service, transport, organization]);
}

/**
 * Returns a function that says whether the user may do something; the organization is the one of the place, unless the scope names
 * another.
 */
export function useCan(): (permission: string, scope?: PermissionScope) => boolean {
  const { permissions, organizationId } = useApi();
  return (permission, scope = {}) => permissions.can(permission, { organization: organizationId, ...scope });
}
