import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it, vi } from "vitest";
import { create, errorOf, list, newYear, order, paymentsPath, send } from "../merchant.ts";
import { dataFolder } from "./data-files.ts";

const { newFile } = dataFolder();

const fill = () =>
  vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(() => {
    throw new Error("database or disk is full");
  });

describe("a sandbox whose data file cannot be written", () => {
  it("answers 500 and says why, and writes the change later", async () => {
    const data = newFile();
    const sandbox = createSandbox({ data });
    const exec = fill();
    const warned = once(process, "warning");
    const lost = await send(sandbox, paymentsPath, { body: order });
    expect(lost.status).toBe(500);
    expect((await errorOf(lost)).message).toMatch(
      /sqlite cannot be written: .* is full. Free some disk space/,
    );
    expect(await warned).toMatchObject([{ code: "cannot_write_data" }]);
    expect(sandbox.requests()).toMatchObject([{ outcome: "answered", status: 500 }]);
    exec.mockRestore();
    await create(sandbox);
    sandbox.close();
    using again = createSandbox({ data });
    expect((await list(again)).pagination.total).toBe(2);
  });

  it("sends no webhook before its event is in the file, and sends it later", async () => {
    const received: string[] = [];
    const deliver = (request: Request) => {
      received.push(request.method);
      return new Response();
    };
    using sandbox = createSandbox({ data: newFile(), now: newYear, deliver });
    const exec = fill();
    const warned = once(process, "warning");
    await send(sandbox, paymentsPath, { body: order });
    await sandbox.webhooks.idle();
    await warned;
    exec.mockRestore();
    expect(received).toEqual([]);
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { status: "pending", attempts: [{ error: expect.stringContaining("cannot be written") }] },
    ]);
    await sandbox.clock.advance("30s");
    expect(received).toEqual(["POST"]);
  });

  it("closes the file anyway, and says that the last changes are lost", async () => {
    const data = newFile();
    const sandbox = createSandbox({ data });
    await create(sandbox);
    const exec = fill();
    sandbox.reset();
    expect(sandbox.close).toThrow(/lost if the sandbox closes/);
    exec.mockRestore();
    sandbox.close();
    using again = createSandbox({ data });
    expect((await list(again)).pagination.total).toBe(1);
  });
});
