import { encode } from "uqr";
import { drawing } from "./dom.ts";

/** Loaded when there is an address to draw: a QR code that every wallet reads, as inline SVG. */
export function qrCode(text: string): SVGSVGElement {
  // The standard requires a quiet zone of four modules.
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const path = data.map((row, y) => rowPath(row, y)).join("");
  return drawing(path, `0 0 ${size} ${size}`, { "shape-rendering": "crispEdges" });
}

/** Adjacent modules share one rectangle, so that no seams show. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = "";
  for (let x = 0; x < row.length; x++) {
    const begin = x;
    while (row[x]) x++;
    if (x > begin) path += `M${begin} ${y}h${x - begin}v1h-${x - begin}z`;
  }
  return path;
}
