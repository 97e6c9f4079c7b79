import * as z from "zod/mini";
import type { MerchantClient } from "../../client.ts";
import { defineTool, described, id, type Tool } from "./tool.ts";

/** Tools that read payments and withdrawals in any environment. */
export function serviceTools(client: () => Promise<MerchantClient>): Tool[] {
  return (["payment", "withdrawal"] as const).flatMap((kind) => {
    const kinds = `${kind}s` as const;
    return [
      defineTool({
        name: `get_${kind}`,
        description: `Reads a ${kind}.`,
        isReadOnly: true,
        input: { id: id(kind) },
        run: async ({ id }) => (await client())[kinds].get(id),
      }),
      defineTool({
        name: `list_${kinds}`,
        description: `Lists ${kinds}, newest first. get_${kind} reads every field of one; find_${kinds} finds those of an order.`,
        isReadOnly: true,
        input: {
          status: described(z.optional(z.string()), "Only those with this status."),
          limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), 20),
          offset: described(z._default(z.int().check(z.minimum(0)), 0), "How many to skip."),
        },
        async run(filters) {
          const { data, pagination } = await (await client())[kinds].list(filters);
          // Most of a payment is its quotes, and editors refuse long results.
          const brief = data.map((item) => ({ ...item, quotes: undefined }));
          return { [kinds]: brief, total: pagination?.total };
        },
      }),
      defineTool({
        name: `find_${kinds}`,
        description: `Finds the ${kinds} of an order.`,
        isReadOnly: true,
        input: {
          orderId: described(z.string(), "The merchant's own id of the order."),
          createdAfter: described(z.optional(z.string()), "Such as 2026-01-01T00:00:00Z."),
        },
        run: async ({ orderId, ...options }) => ({
          [kinds]: await (await client())[kinds].findByOrderId(orderId, options),
        }),
      }),
    ];
  });
}
