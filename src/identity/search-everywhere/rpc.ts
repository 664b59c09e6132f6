import { SearchHitKind, SearchService } from "../../../gen/gatehouse/v1/search_service_pb.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { SearchCommands } from "./commands.ts";
import type { FoundObject } from "./found-object.ts";

/** Maps the messages of SearchService to its command. */
export function createSearchService(commands: SearchCommands): ServiceImplementation {
  return implementService(SearchService, {
    search: {
      run: async (call, request) => ({ hits: (await commands.search(call, request)).map(toHitMessage) }),
    },
  });
}

function toHitMessage({ kind, projectId, ...hit }: FoundObject) {
  return { ...hit, kind: SearchHitKind[kind], projectId: kind === "APPLICATION" ? projectId : "" };
}
