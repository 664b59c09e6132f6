import { create } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { PrivateLabelingSetting, ProjectSchema } from "../../gen/gatehouse/v1/project_pb.ts";
import { fromProjectSettings, toProjectSettings } from "../../src/console/pages/projects/settings-values.ts";

test("the settings of a project are sent as they were read, and nothing else of it", () => {
  const settings = {
    name: "Portal",
    projectRoleAssertion: true,
    projectRoleCheck: false,
    hasProjectCheck: true,
    privateLabelingSetting: PrivateLabelingSetting.ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY,
  };
  const project = create(ProjectSchema, { id: "7", details: { resourceOwner: "1" }, state: 1, ...settings });
  const values = toProjectSettings(project);
  expect(values.privateLabelingSetting).toBe("2");
  expect(fromProjectSettings(values)).toMatchObject(settings);
  expect(values).not.toHaveProperty("id");
  expect(values).not.toHaveProperty("state");
  expect(values).not.toHaveProperty("$typeName");
});

test("a form for a new project begins with everything off", () => {
  expect({ ...toProjectSettings() }).toMatchObject({
    name: "",
    projectRoleAssertion: false,
    projectRoleCheck: false,
    hasProjectCheck: false,
    privateLabelingSetting: "0",
  });
});
