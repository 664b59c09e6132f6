import type { Victim, World } from "./world.ts";

/** Says whether the organization of the victim has given them a role in the project. */
export async function isConnected(
  { ground, organizations }: World,
  { userId, place }: Victim,
  projectId: string,
): Promise<boolean> {
  const rows = await ground.service.place.raw.peek(
    `SELECT id FROM stored_user_grants WHERE state = 'ACTIVE' AND CAST(user_id AS TEXT) = ? AND CAST(project_id AS TEXT) = ?
       AND CAST(resource_owner AS TEXT) = ?`,
    [userId, projectId, organizations[place]],
  );
  return rows.length > 0;
}
