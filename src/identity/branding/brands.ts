// How pages look and speak: with the brandings that are live, and the texts of the instance and of organizations.
import type { Database, ReadTransaction } from "../../kernel/base/database.ts";
import { findInstanceId } from "../instance/repository.ts";
import type { Language } from "../texts/languages.ts";
import { listTextOwners, readInstanceLanguages, readLanguage } from "../texts/repository.ts";
import type { LabelPolicy } from "./label-policy.ts";
import { findLabelPolicy, listLabelOwners } from "./repository.ts";

/** Remembers the branding and the texts of the instance, and which organizations have any of their own. */
export interface Brands {
  /** Returns the branding as it was learned last; undefined: there is none. */
  ofInstance(): LabelPolicy | undefined;
  /** Puts the texts of the instance, as they were learned last, in the place of those of the product. */
  speak(language: Language): Language;
  /** Says whether an organization may have a branding or texts of its own. */
  mayDiffer(organizationId: string): boolean;
  /** Learns what has changed, in other processes too. Undefined: nothing has. Not within a write. */
  refresh(): Promise<void> | undefined;
}

/** Every page has the look and the texts of the product. */
export const noBrands: Brands = {
  ofInstance: () => undefined,
  speak: (language) => language,
  mayDiffer: () => false,
  refresh: () => undefined,
};

/** How the pages of an organization look and speak. */
export interface Look {
  /** Its own branding; undefined: that of the instance. */
  readonly brand: LabelPolicy | undefined;
  readonly language: Language;
}

/** Creates the memory, which is empty at first. Of more than `maxOwners` organizations it does not remember which differ. */
export function createBrands(
  database: Pick<Database, "watch" | "read" | "refresh">,
  maxOwners = 1000,
): Brands {
  const watch = database.watch(["label_policies", "custom_texts"]);
  let known: (Learned & { readonly at: number }) | undefined;
  const relearn = (): Promise<void> | undefined => {
    const at = watch.committed();
    if (known?.at === at) return undefined;
    return database
      .read((tx) => learn(tx, maxOwners))
      .then((learned) => {
        known = { ...learned, at };
      });
  };
  return {
    ofInstance: () => known?.brand,
    speak: (language) => known?.languages.get(language.tag) ?? language,
    mayDiffer: (organizationId) => known?.owners?.has(organizationId) !== false,
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
  /** What has a branding or texts of its own; undefined: too many to remember. */
  readonly owners: ReadonlySet<string> | undefined;
}

async function learn(tx: ReadTransaction, maxOwners: number): Promise<Learned> {
  const lists = [await listLabelOwners(tx, maxOwners + 1), await listTextOwners(tx, maxOwners + 1)];
  return {
    brand: await readInstanceBrand(tx),
    languages: await readInstanceLanguages(tx),
    owners: lists.some(({ length }) => length > maxOwners) ? undefined : new Set(lists.flat()),
  };
}

/** Finds out how pages of an organization look and speak in a language; undefined: those of the instance. */
export async function readLook(
  tx: ReadTransaction,
  brands: Brands,
  { language, organizationId }: { readonly language: Language; readonly organizationId: string | undefined },
): Promise<Look> {
  if (organizationId === undefined || !brands.mayDiffer(organizationId))
    return { brand: undefined, language: brands.speak(language) };
  return {
    brand: await readOwnBrand(tx, organizationId),
    language: await readLanguage(tx, language, organizationId),
  };
}

/** Reads the branding of the instance; undefined: there is none. */
export async function readInstanceBrand(tx: ReadTransaction): Promise<LabelPolicy | undefined> {
  const instanceId = await findInstanceId(tx);
  return instanceId === undefined ? undefined : await readOwnBrand(tx, instanceId);
}

/** Reads the live branding of an organization itself, or of the instance; undefined: it has none. */
export async function readOwnBrand(tx: ReadTransaction, owner: string): Promise<LabelPolicy | undefined> {
  return (await findLabelPolicy(tx, owner))?.live;
}
