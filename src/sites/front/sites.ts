import type { Site } from "../../kernel/http/site.ts";
import { type BrowserRefusalsOptions, createBrowserRefusals } from "./browser-refusals.ts";
import { createConsoleSite } from "./console-site.ts";
import { createStartSite } from "./start-site.ts";

/** What the sites that a browser finds first are made of. */
export interface FrontSitesOptions extends BrowserRefusalsOptions {
  /** In local mode the start page names the file of the first administrator's link. */
  readonly isLocal: boolean;
  readonly folder: { readonly adminLink: string };
}

/** Creates the sites that a browser finds first, and adds them before the site that answers at all other paths. */
export function createFrontSites(options: FrontSitesOptions, calls: Site): readonly Site[] {
  const { issuer, isLocal, folder, pathUnknown, logins } = options;
  const { refuse, aroundCalls } = createBrowserRefusals(options);
  return [
    {
      ...createStartSite({
        issuer,
        adminLinkFile: isLocal ? folder.adminLink : undefined,
        brands: logins.brands,
        calls,
      }),
      refuse,
    },
    { ...createConsoleSite({ issuer, pathUnknown }), refuse },
    aroundCalls(calls),
  ];
}
