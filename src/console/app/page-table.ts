import { applicationPages } from "../pages/applications/pages.ts";
import { groupPages } from "../pages/groups/pages.ts";
import { identityProviderPages } from "../pages/identity-providers/pages.ts";
import { brandingPages } from "../pages/branding/pages.ts";
import { customTextPages } from "../pages/custom-texts/pages.ts";
import { loginPolicyPages } from "../pages/login-policies/pages.ts";
import { membershipPages } from "../pages/memberships/pages.ts";
import { credentialPages } from "../pages/credentials/pages.ts";
import { directoryPages } from "../pages/directories/pages.ts";
import { claimPages } from "../pages/claims/pages.ts";
import { metadataPages } from "../pages/metadata/pages.ts";
import { externalClientPages } from "../pages/external-clients/pages.ts";
import { eventPages } from "../pages/events/pages.ts";
import { organizationPages, organizationSettingsPages } from "../pages/organizations/pages.ts";
import { overviewPages } from "../pages/overview/pages.ts";
import { projectGrantPages } from "../pages/project-grants/pages.ts";
import { projectPages } from "../pages/projects/pages.ts";
import { signingKeyPages } from "../pages/signing-keys/pages.ts";
import { hookPages } from "../pages/hooks/pages.ts";
import { targetPages } from "../pages/targets/pages.ts";
import { userGrantPages } from "../pages/user-grants/pages.ts";
import { userPages } from "../pages/users/pages.ts";
import type { PageEntry } from "../routing/page-entry.ts";

/** All pages, folder by folder, in the order in which menus and tabs offer them. */
export const pageTable: readonly PageEntry[] = [
  ...overviewPages,
  ...organizationPages,
  ...signingKeyPages,
  ...externalClientPages,
  ...projectPages,
  ...applicationPages,
  ...projectGrantPages,
  ...userPages,
  ...groupPages,
  ...userGrantPages,
  ...membershipPages,
  ...credentialPages,
  ...directoryPages,
  ...identityProviderPages,
  ...loginPolicyPages,
  ...brandingPages,
  ...customTextPages,
  ...claimPages,
  ...metadataPages,
  ...targetPages,
  ...hookPages,
  ...eventPages,
  ...organizationSettingsPages,
];
