import { anything } from "../../wire/fields.ts";
import { parseObject } from "../serving/parsing.ts";
import { readBodyText } from "../serving/request-body.ts";

/**
 * What a request to the control API says.
 *
 * @throws {Refusal} 413 or 400.
 */
export async function controlBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  // The sandbox checks every value itself, so an object will do, and none where no field is due.
  return parseObject(await readBodyText(request), anything);
}
