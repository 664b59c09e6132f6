import type { JSX } from "preact";
import { useClient } from "../../api/api.ts";
import { ApplicationState } from "../../../../gen/console/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { StateActions } from "../../ui/state-actions.tsx";
import { toApplications } from "./shared/application.ts";
import { applicationTexts } from "./shared/texts.ts";
import type { ApplicationViewProps } from "./shared/view-props.ts";

/** The buttons for the state of an application, and for its removal: users who may not change it may stop it. */
export function ApplicationActions({
  params,
  application,
  mayWrite,
  onChange,
}: ApplicationViewProps): JSX.Element {
  const { go } = useNavigation();
  const client = useClient(ApplicationService);
  const { id, name, details, state } = application;
  const request = { projectId: params.project, appId: id };
  return (
    <StateActions
      item={{ id, name, details }}
      isActive={state === ApplicationState.ACTIVE}
      mayReactivate={mayWrite}
      texts={useTexts(applicationTexts)}
      deactivate={(options) => client.deactivateApplication(request, options)}
      reactivate={(options) => client.reactivateApplication(request, options)}
      remove={(options) => client.removeApplication(request, options)}
      onChange={onChange}
      onRemoved={() => go(toApplications(params), { replaces: true })}
    />
  );
}
