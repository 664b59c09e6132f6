import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { useFormats, useTexts } from "../../../texts/use-texts.ts";
import { credentialTexts } from "./credential-texts.ts";

/** Returns a function that says when something expires, or that it has, or that it never does. */
export function useExpiry(): (expiration: Timestamp | undefined) => string {
  const texts = useTexts(credentialTexts);
  const { date } = useFormats();
  return (expiration) => {
    if (expiration === undefined) return texts.never;
    const shown = date(expiration);
    return timestampDate(expiration) < new Date() ? texts.expired(shown) : shown;
  };
}
