import type { JSX } from "preact";
import { useCan } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import { GrantedProjectFrame } from "../../frames/granted-project-frame.tsx";
import {
  type ProjectGrant,
  ProjectGrantState,
} from "../../../../gen/console/gatehouse/v1/project_grant_pb.ts";
import { useNavigation } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy-button.tsx";
import { ObjectFacts } from "../../ui/facts.tsx";
import { useNames } from "../../ui/names/use-names.ts";
import { usePeriodFacts } from "../../ui/period/period-facts.ts";
import { RoleChips } from "./role-chips.tsx";
import { projectGrantTexts } from "./texts.ts";

/** Shows a project that another organization has granted to this one. */
export function GrantedProjectPage({ params }: PageProps<"organization" | "project" | "grant">): JSX.Element {
  const texts = useTexts(projectGrantTexts).granted;
  const { go } = useNavigation();
  const mayGive = useCan()("user.grant.write", { projectGrant: params.grant });
  const add = mayGive && (
    <Button
      look="first"
      onClick={() => go(`${toPath("/orgs/:organization/user-grants/new", params)}?project=${params.project}`)}
    >
      {texts.addUserGrant}
    </Button>
  );
  return (
    <GrantedProjectFrame params={params} actions={() => add}>
      {(grant) => <GrantView grant={grant} />}
    </GrantedProjectFrame>
  );
}

function GrantView({ grant }: { readonly grant: ProjectGrant }): JSX.Element {
  const texts = useTexts(projectGrantTexts).granted;
  const names = useNames();
  const periodFacts = usePeriodFacts();
  const ownerId = grant.details?.resourceOwner ?? "";
  const owner = useQuery(() => names.organization(ownerId), [names, ownerId]);
  const name = owner.data?.title ?? "";
  return (
    <>
      {grant.state !== ProjectGrantState.ACTIVE && <p class="hint list-head">{texts.inactive}</p>}
      <section class="panel">
        <h2>{texts.rolesTitle}</h2>
        <p class="hint">{texts.rolesLead}</p>
        <RoleChips roles={grant.roleKeys} />
      </section>
      <ObjectFacts
        id={grant.id}
        details={grant.details}
        more={[
          ...periodFacts(grant),
          { label: texts.owner, value: name === ownerId ? <Code text={name} label={texts.owner} /> : name },
          { label: texts.project, value: <Code text={grant.projectId} label={texts.project} /> },
        ]}
      />
    </>
  );
}
