import type { TextElement } from "../../../../src/kernel/xml/text-document.ts";

/** Returns the value of an attribute. */
export function attribute(element: TextElement | undefined, name: string): string | undefined {
  return element?.written.find(([each]) => each === name)?.[1];
}

/** Lists the elements of a name below an element, in the order of the document. */
export function listBelow(element: TextElement, name: string): readonly TextElement[] {
  return element.children.flatMap((child) => [
    ...(child.localName === name ? [child] : []),
    ...listBelow(child, name),
  ]);
}
