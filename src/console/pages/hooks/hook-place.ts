import { toPath } from "../../routing/routes.ts";

/** Whose hooks a page is about: those of an organization, or of the instance. */
export interface HookPlace {
  readonly organization?: string | undefined;
}

/** Returns the page of the list. */
export function toHookList({ organization }: HookPlace): string {
  return organization === undefined
    ? toPath("/hooks")
    : toPath("/orgs/:organization/hooks", { organization });
}

/** Returns the page of a hook. */
export function toHook({ organization }: HookPlace, hook: string): string {
  return organization === undefined
    ? toPath("/hooks/:hook", { hook })
    : toPath("/orgs/:organization/hooks/:hook", { organization, hook });
}

/** Returns the page that adds a hook. */
export function toHookAddition({ organization }: HookPlace): string {
  return organization === undefined
    ? toPath("/hooks/new")
    : toPath("/orgs/:organization/hooks/new", { organization });
}
