import { roleKey } from "./calls.ts";
import type { Stock } from "./load.ts";

const atOnce = 32;

/** Adds service users and projects with one role each, through the REST paths. */
export async function fillStock(
  service: { readonly url: string; readonly authorization: string },
  count: { readonly users: number; readonly projects: number },
): Promise<Stock> {
  const post = async (path: string, body: object): Promise<Readonly<Record<string, string>>> => {
    const response = await fetch(service.url + path, {
      method: "POST",
      headers: { authorization: service.authorization, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text) as Record<string, string>; // the ids in it are texts
  };
  const userIds = await inTurn(count.users, async (index) => {
    const added = await post("/v1/users/service", { username: `user-${index}`, name: `User ${index}` });
    return added["userId"] ?? "";
  });
  const projectIds = await inTurn(count.projects, async (index) => {
    const added = await post("/v1/projects", { name: `Stock ${index}` });
    await post(`/v1/projects/${added["id"]}/roles`, { roleKey });
    return added["id"] ?? "";
  });
  return { userIds, projectIds };
}

/** Does the work for every number, some at a time. */
async function inTurn<T>(count: number, work: (index: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
