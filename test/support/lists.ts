import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { List } from "../../src/kernel/base/list.ts";

const features = join(import.meta.dirname, "../../src/identity");

/** A list, whatever is asked of it and whatever it holds. */
export type AnyList = List<never, unknown>;

/** Finds the lists that the repositories define, so that a new one is in every test by itself. */
export async function findLists(): Promise<readonly AnyList[]> {
  const files = readdirSync(features, { recursive: true, encoding: "utf8" });
  const repositories = files.filter((file) => file.endsWith("repository.ts"));
  const modules = await Promise.all(
    repositories.map((file) => import(join(features, file)) as Promise<Readonly<Record<string, unknown>>>),
  );
  return modules.flatMap((module) => Object.values(module).filter(isList));
}

function isList(value: unknown): value is AnyList {
  return typeof value === "object" && value !== null && "keyOf" in value && "indexes" in value;
}
