import type { DescFile } from "@bufbuild/protobuf";

/** Collects the files of the types, with everything that they import. */
export function filesOf(types: readonly { readonly file: DescFile }[]): readonly DescFile[] {
  const files = new Map<string, DescFile>();
  const visit = (file: DescFile): void => {
    if (files.has(file.name)) return;
    files.set(file.name, file);
    file.dependencies.forEach(visit);
  };
  for (const { file } of types) visit(file);
  return [...files.values()];
}
