type Answer = Readonly<Record<string, string>>;

/** Makes a service user that may manage the users of its organization, and returns what a directory is given. */
export async function makeScimDirectory(
  origin: string,
  adminToken: string,
): Promise<{ readonly url: string; readonly token: string }> {
  const call = async (path: string, body: object, organization = ""): Promise<Answer> => {
    const headers = {
      authorization: `Bearer ${adminToken}`,
      "content-type": "application/json",
      "x-service-orgid": organization,
    };
    const answer = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer; // of what is read here
  };
  const { organizationId = "" } = await call("/v1/orgs", { name: "Directory" });
  const { userId = "" } = await call(
    "/v1/users/service",
    { username: "directory", name: "Directory" },
    organizationId,
  );
  await call("/v1/memberships", { userId, organizationId, roles: ["ORGANIZATION_USER_MANAGER"] });
  const { token = "" } = await call(`/v1/users/${userId}/pats`, {});
  return { url: `${origin}/scim/v2/${organizationId}`, token };
}
