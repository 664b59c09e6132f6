import type { JSX } from "preact";
import { useApi, useCan } from "../../api/api.ts";
import { UserFrame } from "../../frames/user-frame.tsx";
import type { User } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Facts, ObjectFacts } from "../../ui/facts.tsx";
import { AddressPanel } from "./address-panel.tsx";
import { InvitationPanel } from "./invitation-panel.tsx";
import { HumanForm, ServiceForm } from "./profile-forms.tsx";
import { userTexts } from "./texts.ts";
import { UserActions } from "./user-actions.tsx";

/** Shows the profile of a user, the state, email and phone, and the removal. */
export function UserPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const texts = useTexts(userTexts);
  const can = useCan();
  const self = useApi().user.id;
  const mayWrite = can("user.write");
  return (
    <UserFrame
      params={params}
      actions={
        mayWrite
          ? (user, reload) => (
              <UserActions user={user} organizationId={params.organization} onChange={reload} />
            )
          : undefined
      }
    >
      {(user, reload) => {
        const isSelf = user.id === self;
        const panel = {
          user,
          mayWrite: can("user.credential.write") || isSelf,
          mayVouch: !isSelf,
          onChange: reload,
        };
        return (
          <>
            {mayWrite && user.type.case === "human" && <HumanForm user={user} onChange={reload} />}
            {mayWrite && user.type.case === "service" && <ServiceForm user={user} onChange={reload} />}
            {!mayWrite && <Profile user={user} />}
            {user.type.case === "human" && (
              <>
                <InvitationPanel {...panel} />
                <AddressPanel kind="email" {...panel} />
                <AddressPanel kind="phone" {...panel} />
              </>
            )}
            {user.importedId !== "" && (
              <Facts facts={[{ label: texts.importedId, value: user.importedId }]} />
            )}
            <ObjectFacts id={user.id} details={user.details} />
          </>
        );
      }}
    </UserFrame>
  );
}

/** The profile for users that may only read it. */
function Profile({ user: { type, username } }: { readonly user: User }): JSX.Element {
  const texts = useTexts(userTexts);
  const human = type.case === "human" ? type.value : undefined;
  const service = type.case === "service" ? type.value : undefined;
  return (
    <Facts
      facts={[
        { label: texts.username, value: username },
        { label: texts.givenName, value: human?.givenName },
        { label: texts.familyName, value: human?.familyName },
        { label: texts.displayName, value: human?.displayName },
        { label: texts.language, value: human?.preferredLanguage },
        { label: texts.name, value: service?.name },
        { label: texts.description, value: service?.description },
      ]}
    />
  );
}
