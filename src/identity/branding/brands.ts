// The brandings that are live, and the texts of the instance, as pages need them: whenever one is made, without a call.
import type { Database, ReadTransaction } from "../../kernel/base/database.ts";
import { findInstanceId } from "../instance/repository.ts";
import { findOrganization } from "../organizations/repository.ts";
import type { Language } from "../texts/languages.ts";
import { readInstanceLanguages } from "../texts/repository.ts";
import type { LabelPolicy } from "./label-policy.ts";
import { findLabelPolicy } from "./repository.ts";

/** An organization, and its own branding; undefined: it has none, and wears the one of the instance. */
export interface OrganizationLabel {
  readonly organization: { readonly id: string; readonly name: string };
  readonly brand: LabelPolicy | undefined;
}

/** Remembers the branding and the texts of the instance. */
export interface Brands {
  /** Returns the branding as it was learned last; undefined: there is none. */
  ofInstance(): LabelPolicy | undefined;
  /** Puts the texts of the instance, as they were learned last, in the place of those of the product. */
  speak(language: Language): Language;
  /** Learns what has changed, in other processes too. Undefined: nothing has. Not within a write. */
  refresh(): Promise<void> | undefined;
}

/** Every page has the look and the texts of the product. */
export const noBrands: Brands = {
  ofInstance: () => undefined,
  speak: (language) => language,
  refresh: () => undefined,
};

/** Creates the memory, which is empty at first. */
export function createBrands(database: Pick<Database, "watch" | "read" | "refresh">): Brands {
  const watch = database.watch(["label_policies", "custom_texts"]);
  let known: (Learned & { readonly at: number }) | undefined;
  const relearn = (): Promise<void> | undefined => {
    const at = watch.committed();
    if (known?.at === at) return undefined;
    return database.read(learn).then((learned) => {
      known = { ...learned, at };
    });
  };
  return {
    ofInstance: () => known?.brand,
    speak: (language) => known?.languages.get(language.tag) ?? language,
    refresh() {
      const asked = database.refresh(); // another process may have changed them
      return asked === undefined ? relearn() : asked.then(relearn);
    },
  };
}

interface Learned {
  readonly brand: LabelPolicy | undefined;
  /** Those in which the instance has texts of its own, by their tags. */
  readonly languages: ReadonlyMap<string, Language>;
}

async function learn(tx: ReadTransaction): Promise<Learned> {
  return { brand: await readInstanceBrand(tx), languages: await readInstanceLanguages(tx) };
}

/** Reads the branding of the instance; undefined: there is none. */
export async function readInstanceBrand(tx: ReadTransaction): Promise<LabelPolicy | undefined> {
  const instanceId = await findInstanceId(tx);
  return instanceId === undefined ? undefined : await readOwnBrand(tx, instanceId);
}

/** Reads the live branding of an organization itself; undefined: it has none. */
export async function readOwnBrand(tx: ReadTransaction, owner: string): Promise<LabelPolicy | undefined> {
  return (await findLabelPolicy(tx, owner))?.live;
}

/** Reads what pages and mails for users of an organization wear; undefined: what those of the instance wear. */
export async function readOrganizationLabel(
  tx: ReadTransaction,
  organizationId: string,
): Promise<OrganizationLabel | undefined> {
  const brand = await readOwnBrand(tx, organizationId);
  const organization = brand && (await findOrganization(tx, organizationId));
  return organization && { organization, brand };
}
