import { html, type Markup } from "../markup/html.ts";

/** Draws a QR code as SVG. It is dark on white in every colour scheme, because not every reader takes the reverse. */
export async function renderQrCode(text: string, label: string): Promise<Markup> {
  const { encode } = await import("uqr"); // few logins need it
  const { data, size } = encode(text, { border: 2, ecc: "M" }); // and the padding of its box
  return html`<div class="qr"><svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/>
<path fill="#000" d="${toPath(data)}"/>
</svg></div>`;
}

/** Makes a path of squares, those next to each other in a row as one rectangle. */
function toPath(rows: readonly (readonly boolean[])[]): string {
  return rows
    .flatMap((row, y) => {
      const line = row.map((isDark) => (isDark ? "1" : "0")).join("");
      return [...line.matchAll(/1+/g)].map(
        ({ 0: run, index: x }) => `M${x} ${y}h${run.length}v1h-${run.length}z`,
      );
    })
    .join("");
}
