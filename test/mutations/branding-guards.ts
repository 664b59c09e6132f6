import type { Guard } from "./guards.ts";

const api = "test/api/branding.test.ts";
const pages = "test/sites/account/branding.test.ts";
const images = "test/identity/branding/image-file.test.ts";

/** What keeps the looks of organizations apart, readable, and without anything that could run. */
export const brandingGuards: readonly Guard[] = [
  {
    name: "branding: colors can be told apart",
    file: "src/identity/branding/commands.ts",
    change: ["requireContrast(settings);", ""],
    in: api,
    test: "could not tell its colors apart",
  },
  {
    name: "branding: nothing follows an image",
    file: "src/identity/branding/image-file.ts",
    change: ["hasData && end === image.length", "hasData"],
    in: images,
    test: "something follows",
  },
  {
    name: "branding: an image can do nothing in a browser",
    file: "src/sites/login/standalone/image-router.ts",
    change: ["default-src 'none'; sandbox", "default-src 'none'"],
    in: api,
    test: "can do nothing in a browser",
  },
  {
    name: "branding: only callers who may change it see a draft",
    file: "src/sites/login/standalone/preview.ts",
    change: ['holdsOnOrganization(held, "policy.write", organizationId)', "true"],
    in: pages,
    test: "for nobody else",
  },
  {
    name: "branding: a value of the query is a color",
    file: "src/sites/login/standalone/preview.ts",
    change: ["/^#[0-9A-Fa-f]{6}$/.test(value)", 'value !== ""'],
    in: pages,
    test: "takes values that are not in the draft",
  },
];
