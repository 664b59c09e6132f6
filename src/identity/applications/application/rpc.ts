import type { ApplicationName } from "./application.ts";

/** Names an application from the two fields that requests name it by. */
export function toApplicationName(request: {
  readonly projectId: string;
  readonly appId: string;
}): ApplicationName {
  return { projectId: request.projectId, applicationId: request.appId };
}
