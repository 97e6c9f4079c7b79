// Runs in the page: the client, and a reader for the QR codes that it draws.

import jsQR from "jsqr";
import { CheckoutClient } from "settlekit/checkout";

const size = 400;
const margin = 20;

/** The text that a camera would read from a QR code; undefined if it cannot be read. */
async function readQr(svg: string): Promise<string | undefined> {
  const image = new Image(size, size);
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const context = new OffscreenCanvas(size, size).getContext("2d");
  if (!context) return undefined;
  context.fillStyle = "white";
  context.fillRect(0, 0, size, size);
  context.drawImage(image, margin, margin, size - 2 * margin, size - 2 * margin);
  return jsQR(context.getImageData(0, 0, size, size).data, size, size)?.data;
}

Object.assign(globalThis, { CheckoutClient, readQr });
