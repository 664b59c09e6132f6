import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link } from "../../routing/navigation.tsx";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import type { NamedObject } from "../names/named-object.ts";
import type { Names } from "../names/use-names.ts";
import { eventTexts } from "./texts.ts";

/** Props of the name of an editor. */
export interface PersonNameProps {
  readonly id: string;
  readonly names: Names;
  /** Whether the name leads to the user. */
  readonly isLink?: boolean;
}

/** The user that made a change: the name as soon as it is known, until then and for users who may not be read the id. */
export function PersonName({ id, names, isLink = false }: PersonNameProps): JSX.Element {
  const texts = useTexts(eventTexts);
  const found = useName(names.user, id === "system" ? undefined : id);
  if (id === "system") return <>{texts.system}</>;
  if (!isLink || found?.organizationId === undefined) return <>{found?.title ?? id}</>;
  const params = { organization: found.organizationId, user: id };
  return <Link to={toPath("/orgs/:organization/users/:user", params)}>{found.title}</Link>;
}

/** The name of an organization; the id, where it may not be read. */
export function OrganizationName({ id, names }: Omit<PersonNameProps, "isLink">): JSX.Element {
  return <>{useName(names.organization, id)?.title ?? id}</>;
}

/** The name of an application, which leads to it where it may be read; the id, where it may not. */
export function ApplicationName({ id, names }: Omit<PersonNameProps, "isLink">): JSX.Element {
  const found = useName(names.application, id);
  const { organizationId: organization, projectId: project } = found ?? {};
  if (organization === undefined || project === undefined) return <>{found?.title ?? id}</>;
  const pattern = "/orgs/:organization/projects/:project/applications/:application";
  return <Link to={toPath(pattern, { organization, project, application: id })}>{found?.title}</Link>;
}

function useName(
  find: (id: string) => Promise<NamedObject>,
  id: string | undefined,
): NamedObject | undefined {
  const [found, setFound] = useState<NamedObject>();
  useEffect(() => {
    if (id === undefined) return;
    let isWanted = true;
    void find(id).then((named) => isWanted && setFound(named));
    return () => {
      isWanted = false;
    };
  }, [find, id]);
  return found?.id === id ? found : undefined;
}
