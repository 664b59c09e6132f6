/** Where the metadata of a SAML application comes from, as fields hold it. */
export type SourceValues = {
  /** `url` or `document`: only the field of the chosen one is sent. */
  readonly source: string;
  readonly metadataUrl: string;
  readonly metadataXml: string;
};

/** Returns the first values of a form, with the URL if the application has one. */
export function beginSource(metadataUrl: string): SourceValues {
  return { source: "url", metadataUrl, metadataXml: "" };
}

/** Returns the fields of the request: exactly one of them is not empty. */
export function toSourceRequest({ source, metadataUrl, metadataXml }: SourceValues): {
  readonly metadataUrl: string;
  readonly metadataXml: Uint8Array<ArrayBuffer>;
} {
  const isUrl = source === "url";
  return {
    metadataUrl: isUrl ? metadataUrl.trim() : "",
    metadataXml: new TextEncoder().encode(isUrl ? "" : metadataXml.trim()),
  };
}

/** Names the field that must not be empty, if it is. */
export function findMissingSource(values: SourceValues): "metadataUrl" | "metadataXml" | undefined {
  const name = values.source === "url" ? "metadataUrl" : "metadataXml";
  return values[name].trim() === "" ? name : undefined;
}
