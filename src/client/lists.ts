/** An object of the list in an answer. */
type ItemOf<Answer> = {
  [Key in keyof Answer as Key extends `$${string}`
    ? never
    : Key]-?: Answer[Key] extends readonly (infer Item)[] ? Item : never;
} extends infer Items
  ? Items[keyof Items]
  : never;

/**
 * Reads a list to its end, page by page, and yields its objects. What changes meanwhile may be missed, or be as it was.
 *
 *     for await (const user of listAll(users.listUsers, { search: "ada" })) …
 */
export async function* listAll<
  Request extends { readonly pageToken?: string | undefined },
  Options,
  Answer extends { readonly nextPageToken: string },
>(
  list: (request: Request, options?: Options) => Promise<Answer>,
  request: NoInfer<Request>,
  options?: Options,
): AsyncGenerator<ItemOf<Answer>, void, undefined> {
  let { pageToken = "" } = request;
  do {
    const answer = await list({ ...request, pageToken }, options);
    // A list has one field that is repeated: its objects. `$unknown` is what a newer service has added.
    const [, items = []] =
      Object.entries(answer).find(([key, value]) => !key.startsWith("$") && Array.isArray(value)) ?? [];
    yield* items as ItemOf<Answer>[];
    pageToken = answer.nextPageToken;
  } while (pageToken !== "");
}
