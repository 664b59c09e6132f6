import { createClient } from "@connectrpc/connect";
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { OrganizationService } from "../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import { type Api, useApi } from "./api.ts";
import { type Query, useQuery } from "./use-query.ts";

/** An organization that the user can go to. */
export interface ReachableOrganization {
  readonly id: string;
  /** Undefined if the user may not read the organization, but something in it. */
  readonly name: string | undefined;
}

/** The organizations that the user can go to. */
export interface OrganizationDirectory {
  /** The first thousand, oldest first. */
  readonly organizations: readonly ReachableOrganization[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

const maxOrganizations = 1000;
const pauseMs = 200;

/** Gives the directory to all components; the app provides it. */
export const DirectoryContext = createContext<Query<OrganizationDirectory> | undefined>(undefined);

/**
 * Reads the organizations that the user may go to: those that they may read, and those in which they have a role on a single project or
 * project grant, which have no names for them.
 */
export function useDirectory({
  transport,
  permissions,
}: Pick<Api, "transport" | "permissions">): Query<OrganizationDirectory> {
  return useQuery(async () => {
    const { organizations, nextPageToken } = permissions.canSomewhere("organization.read")
      ? await createClient(OrganizationService, transport(undefined)).listOrganizations({
          pageSize: maxOrganizations,
        })
      : { organizations: [], nextPageToken: "" };
    const others = permissions.reachableOrganizations
      .filter((id) => !permissions.can("organization.read", { organization: id }))
      .map((id) => ({ id, name: undefined }));
    return { organizations: [...organizations, ...others], hasMore: nextPageToken !== "" };
  }, [transport, permissions]);
}

/** Returns the organizations that the user can go to. They are read again whenever the permissions are: `refreshPermissions`. */
export function useOrganizations(): Query<OrganizationDirectory> {
  const directory = useContext(DirectoryContext);
  if (directory === undefined) throw new Error("a component stands outside of the app");
  return directory;
}

/**
 * Finds organizations: those whose names contain the text, or whose id it is, among the first thousand, and beyond them some with
 * words that begin as those of the text. An empty text finds all.
 */
export function useFoundOrganizations(text: string): readonly ReachableOrganization[] {
  const { transport } = useApi();
  const { data = { organizations: [], hasMore: false } } = useOrganizations();
  const search = useSettled(text.trim());
  const bySearch = useQuery(async () => {
    if (search === "" || !data.hasMore) return [];
    const client = createClient(OrganizationService, transport(undefined));
    return (await client.listOrganizations({ pageSize: 8, search })).organizations;
  }, [search, data.hasMore, transport]);
  const found = filterOrganizations(data.organizations, text);
  const further = search === text.trim() ? (bySearch.data ?? []) : [];
  return [...found, ...further.filter(({ id }) => found.every((each) => each.id !== id))];
}

/** Returns the text as it was when typing last paused. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Finds the organizations whose names contain the text, or whose id it is. An empty text finds all. */
function filterOrganizations(
  organizations: readonly ReachableOrganization[],
  text: string,
): readonly ReachableOrganization[] {
  const wanted = text.trim().toLocaleLowerCase();
  return organizations.filter(
    ({ name = "", id }) => id === wanted || name.toLocaleLowerCase().includes(wanted),
  );
}
