import type { PostgresClient } from "./postgres-pool.ts";

/** One connection that listens on every channel, and reconnects when it dies. */
export class PostgresListener<Client extends PostgresClient> {
  readonly #connect: () => Promise<Client>;
  readonly #schema: string;
  readonly #wakes = new Map<() => void, string>();
  #client: Client | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #connecting: Promise<void> | undefined;

  constructor(connect: () => Promise<Client>, schema: string) {
    this.#connect = connect;
    this.#schema = schema;
  }

  add(channel: string, onWake: () => void): () => Promise<void> {
    this.#wakes.set(onWake, channel);
    this.#connecting ??= this.#open();
    return async () => {
      this.#wakes.delete(onWake);
      if (this.#wakes.size === 0) await this.close();
    };
  }

  async close(): Promise<void> {
    this.#wakes.clear();
    // A connection that is dead may never answer LISTEN.
    this.#drop();
    const connecting = this.#connecting;
    await connecting;
    // Another close was faster, or there was no connection yet and a new worker has made the first.
    if (this.#connecting !== connecting) return;
    this.#drop();
    // Another worker may have started in the meantime.
    this.#connecting = this.#wakes.size === 0 ? undefined : this.#open();
  }

  #drop(): void {
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    // Destroyed, so that it does not keep listening for the pool's next user.
    client?.release(true);
  }

  async #open(): Promise<void> {
    let client: Client | undefined;
    try {
      client = await this.#connect();
      this.#client = client;
      client.on("error", () => this.#lost(client));
      client.on("notification", ({ payload }) => {
        for (const [onWake, channel] of this.#wakes) if (channel === payload) onWake();
      });
      if (this.#wakes.size === 0) return;
      await client.query({ text: `LISTEN "${this.#schema}"` });
      this.#failures = 0;
      // Notifications sent before LISTEN were missed.
      for (const onWake of this.#wakes.keys()) onWake();
    } catch {
      this.#lost(client);
    }
  }

  /** A connection that dies during LISTEN is reported twice, but only lost once. */
  #lost(client: Client | undefined): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client?.release(true);
    if (this.#wakes.size === 0) return;
    // Polling continues in the meantime.
    this.#retry = setTimeout(
      () => {
        this.#connecting = this.#open();
      },
      Math.min(100 * 2 ** this.#failures++, 10_000),
    );
    this.#retry.unref?.();
  }
}
