import { toPath } from "../../routing/routes.ts";

/** Whose targets a page is about: those of an organization, or of the instance. */
export interface TargetPlace {
  readonly organization?: string | undefined;
}

/** Returns the page of the list. */
export function toTargets({ organization }: TargetPlace): string {
  return organization === undefined
    ? toPath("/webhooks")
    : toPath("/orgs/:organization/webhooks", { organization });
}

/** Returns the page of a target. */
export function toTarget({ organization }: TargetPlace, target: string): string {
  return organization === undefined
    ? toPath("/webhooks/:target", { target })
    : toPath("/orgs/:organization/webhooks/:target", { organization, target });
}

/** Returns the page that adds a target. */
export function toAddition({ organization }: TargetPlace): string {
  return organization === undefined
    ? toPath("/webhooks/new")
    : toPath("/orgs/:organization/webhooks/new", { organization });
}
