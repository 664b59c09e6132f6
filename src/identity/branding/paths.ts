/** Where images of brandings are served, each under its hash. */
export const imagesPath = "/brand/";

/** Returns the path of an image. */
export function imagePathOf(hash: string): string {
  return `${imagesPath}${hash}`;
}

/** Returns the path of the page that shows the draft of an organization, or of the instance. */
export function previewPathOf(owner: string): string {
  return `/login/preview/${owner}`;
}
