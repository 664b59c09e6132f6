import { type Client, createClient } from "@connectrpc/connect";
import type { BatchService } from "../../../gen/console/gatehouse/v1/batch_service_pb.ts";
import { useApi } from "./api.ts";

/**
 * Returns a function that gives the client for batches within the organization of the place. Its messages are those of most other
 * services, so their code is loaded only when a batch is sent.
 */
export function useBatch(): () => Promise<Client<typeof BatchService>> {
  const { transport, organizationId } = useApi();
  return async () => {
    const loaded = await import("../../../gen/console/gatehouse/v1/batch_service_pb.ts");
    return createClient(loaded.BatchService, transport(organizationId));
  };
}
