import type { Schema } from "../../wire/schema.ts";
import { parseObject } from "../parsing.ts";
import { readBodyText } from "../request-body.ts";

/** The sandbox checks every value itself, so an object will do, and none where no field is due. */
const anyObject: Schema<unknown> = { safeParse: (data) => ({ success: true, data }) };

/**
 * What a request to the control API says.
 *
 * @throws {Refusal} 413 or 400.
 */
export async function controlBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  return parseObject(await readBodyText(request), anyObject);
}
