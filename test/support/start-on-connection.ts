import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A server on a port of 127.0.0.1. */
export interface LocalServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Listens on a free port immediately, and starts the server behind it on the first connection. `start` gets the origin
 * that clients use, such as `http://127.0.0.1:40123`. If it fails, all connections fail.
 */
export async function startOnConnection(start: (origin: string) => Promise<LocalServer>): Promise<LocalServer> {
  let started: Promise<LocalServer> | null = null;
  const sockets = new Set<Socket>();
  const relay = async (client: Socket): Promise<void> => {
    started ??= start(`http://127.0.0.1:${port}`);
    const server = connect((await started).port, "127.0.0.1");
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  };
  const front = createServer((client) => {
    client.on("error", () => {}); // its peer is closed by relay
    relay(client).catch((failure) => client.destroy(failure));
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const { port } = front.address() as AddressInfo; // it listens on TCP
  return {
    port,
    async stop() {
      front.close();
      for (const socket of sockets) socket.destroy();
      await (await started)?.stop();
    },
  };
}
