import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useClient } from "../../api/api.ts";
import { ifUnchanged } from "../../api/call-options.ts";
import { ApplicationState } from "../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ActionDialog } from "../../ui/action-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { RemovalDialog } from "../../ui/removal-dialog.tsx";
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
  const texts = useTexts(applicationTexts);
  const { go } = useNavigation();
  const client = useClient(ApplicationService);
  const [open, setOpen] = useState<"deactivate" | "remove">();
  const { id, name, details, state } = application;
  const request = { projectId: params.project, appId: id };
  return (
    <>
      {state === ApplicationState.ACTIVE && (
        <Button onClick={() => setOpen("deactivate")}>{texts.deactivate}</Button>
      )}
      {state !== ApplicationState.ACTIVE && mayWrite && (
        <ActionButton
          run={() => client.reactivateApplication(request, ifUnchanged(details))}
          done={texts.reactivated(name)}
          onDone={onChange}
        >
          {texts.reactivate}
        </ActionButton>
      )}
      <Button look="danger" onClick={() => setOpen("remove")}>
        {texts.remove}
      </Button>
      {open === "deactivate" && (
        <ActionDialog
          title={texts.deactivateTitle(name)}
          text={texts.deactivateText}
          actionText={texts.deactivate}
          done={texts.deactivated(name)}
          run={() => client.deactivateApplication(request, ifUnchanged(details))}
          onClose={() => setOpen(undefined)}
          onDone={onChange}
        />
      )}
      {open === "remove" && (
        <RemovalDialog
          items={[{ id, name, details }]}
          remove={(_item, options) => client.removeApplication(request, options)}
          onClose={() => setOpen(undefined)}
          onChanged={onChange}
          onRemoved={() => go(toApplications(params), { replaces: true })}
        />
      )}
    </>
  );
}
