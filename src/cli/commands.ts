import type { Command } from "./arguments/command.ts";

interface Listed {
  readonly summary: string;
  /** Each is loaded only when it runs: help must not wait for the sandbox. */
  readonly load: () => Promise<Command>;
}

export const commands: Readonly<Record<string, Listed>> = {
  sandbox: {
    summary: "Serve the whole payment service on this machine.",
    load: async () => (await import("./commands/sandbox.ts")).sandboxCommand,
  },
  exec: {
    summary: "Run a command, such as your tests, with a sandbox of its own.",
    load: async () => (await import("./commands/exec.ts")).execCommand,
  },
  listen: {
    summary: "Receive webhooks, verify them, print them and pass them on.",
    load: async () => (await import("./commands/listen.ts")).listenCommand,
  },
  trigger: {
    summary: "Send a signed webhook to your endpoint.",
    load: async () => (await import("./commands/trigger.ts")).triggerCommand,
  },
  doctor: {
    summary: "Check configuration, connection, clock and credentials.",
    load: async () => (await import("./commands/doctor.ts")).doctorCommand,
  },
};
