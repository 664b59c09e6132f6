import { type Act, idOf } from "./act.ts";

/** Makes projects with roles, project grants and user grants, of which some are changed, stopped and removed. */
export async function makeProject(
  act: Act,
  actOnPartner: Act,
  { partner, userId }: { readonly partner: string | undefined; readonly userId: string | undefined },
) {
  const addProject = async (name: string) => idOf(await act("ProjectService/AddProject", { name }), "id");
  const [projectId, stopped, removed] = [
    await addProject("Portal"),
    await addProject("Stopped"),
    await addProject("Removed"),
  ];
  await act("ProjectService/UpdateProject", {
    id: projectId,
    name: "Portal 2",
    projectRoleAssertion: true,
    hasProjectCheck: true,
    privateLabelingSetting: 1,
  });
  await act("ProjectService/DeactivateProject", { id: stopped });
  const roles = ["reader", "writer", "auditor"].map((roleKey) => ({
    roleKey,
    displayName: roleKey,
    group: "staff",
  }));
  await act("ProjectService/BulkAddProjectRoles", { projectId, roles });
  await act("ProjectService/AddProjectRole", { projectId, roleKey: 'odd"\\/é\u{1f600}' });
  await act("ProjectService/AddProjectRole", { projectId: removed, roleKey: "reader" });
  await act("ProjectService/UpdateProjectRole", { projectId, roleKey: "reader", displayName: "Reads" });
  const grantTo = async (roleKeys: string[], id = projectId) =>
    idOf(
      await act("ProjectService/AddProjectGrant", {
        projectId: id,
        grantedOrganizationId: partner,
        roleKeys,
      }),
      "grantId",
    );
  const projectGrantId = await grantTo(["writer", "reader"]);
  await act("ProjectService/UpdateProjectGrant", {
    projectId,
    grantId: projectGrantId,
    roleKeys: ["reader", "auditor"],
  });
  await grantTo(["reader"], removed);
  const grantUser = async (roleKeys: string[], id = projectId) =>
    idOf(await act("UserGrantService/AddUserGrant", { userId, projectId: id, roleKeys }), "userGrantId");
  const userGrantId = await grantUser(["writer", "auditor", "reader"]);
  await grantUser(["reader"], removed);
  await act("UserGrantService/UpdateUserGrant", {
    userId,
    grantId: userGrantId,
    roleKeys: ["auditor", "reader"],
  });
  const member = await actOnPartner("UserService/AddHumanUser", {
    username: "member",
    givenName: "M",
    familyName: "P",
    email: "member@example.com",
  });
  const partnerUser = idOf(member, "userId");
  const atPartner = await actOnPartner("UserGrantService/AddUserGrant", {
    userId: partnerUser,
    projectId,
    projectGrantId,
    roleKeys: ["reader"],
  });
  await actOnPartner("UserGrantService/DeactivateUserGrant", {
    userId: partnerUser,
    grantId: atPartner?.["userGrantId"],
  });
  await act("ProjectService/RemoveProjectRole", { projectId, roleKey: "auditor" });
  await act("ProjectService/RemoveProject", { id: removed });
  return { projectId, projectGrantId, userGrantId, partnerUser };
}
