import type { ListDetails } from "../../../../gen/console/gatehouse/v1/object_pb.ts";

/** What a list asks the service for. The filters have the values that the user chose; an empty one is no filter. */
export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly countTotal: boolean;
  readonly filters: Readonly<Record<string, string>>;
}

/** A page of a list, as every list call answers it. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly details?: ListDetails | undefined;
  readonly nextPageToken: string;
}

/** Reads a page of a list. */
export type LoadPage<Row> = (request: PageRequest) => Promise<ListPage<Row>>;

const largestPage = 1000;

/** How a whole list is read. */
export interface LoadOptions {
  /** Learns how many rows there are so far. */
  onProgress?(count: number): void;
  /** It ends with the page that has as many rows. Default: it is read to its end. */
  readonly mostRows?: number;
}

/** Reads the whole list, page by page. */
export async function loadAll<Row>(
  load: LoadPage<Row>,
  filters: Readonly<Record<string, string>>,
  { onProgress, mostRows = Number.POSITIVE_INFINITY }: LoadOptions = {},
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let pageToken = "";
  do {
    const page = await load({ pageSize: largestPage, pageToken, countTotal: false, filters });
    rows.push(...page.rows);
    onProgress?.(rows.length);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && rows.length < mostRows);
  return rows;
}
