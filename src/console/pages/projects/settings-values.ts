import { create } from "@bufbuild/protobuf";
import { toEnum } from "../../api/enums.ts";
import {
  PrivateLabelingSetting,
  type Project,
  ProjectSchema,
} from "../../../../gen/console/gatehouse/v1/project_pb.ts";
import {
  type AddProjectRequest,
  AddProjectRequestSchema,
} from "../../../../gen/console/gatehouse/v1/project_service_pb.ts";

/** The settings of a project, as its forms have them: those of the request that adds one. */
export type ProjectSettings = Omit<AddProjectRequest, "$typeName" | "$unknown" | "privateLabelingSetting"> & {
  readonly privateLabelingSetting: string;
};

/** Returns the settings of a project; undefined: those of a new one. */
export function toProjectSettings(project?: Project): ProjectSettings {
  const { $typeName: _project, ...fields } = project ?? create(ProjectSchema);
  // Of these fields it takes those that the request has.
  const { $typeName: _request, ...request } = create(AddProjectRequestSchema, fields);
  return { ...request, privateLabelingSetting: String(request.privateLabelingSetting) };
}

/** Makes the fields of a request from the settings. */
export function fromProjectSettings(settings: ProjectSettings): Omit<
  ProjectSettings,
  "privateLabelingSetting"
> & {
  readonly privateLabelingSetting: PrivateLabelingSetting;
} {
  return {
    ...settings,
    privateLabelingSetting: toEnum(PrivateLabelingSetting, settings.privateLabelingSetting),
  };
}
