import { createServer } from "node:net";
import { DevFailure } from "./failure.ts";

const HOST = "127.0.0.1";

/** A port of 127.0.0.1 that is currently free. Another program may take it before it is used. */
export const freePort = (): Promise<number> => bindOnce(0);

/** Throws a DevFailure if another program listens on the port. */
export const assertPortIsFree = async (port: number): Promise<void> => {
  try {
    await bindOnce(port);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EACCES") throw new DevFailure(`This user may not use port ${port}. Choose another with PORT.`);
    if (code !== "EADDRINUSE") throw error;
    throw new DevFailure(`Port ${port} is taken by another program. Stop it, or choose another with PORT=8788.`);
  }
};

const bindOnce = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, HOST, () => {
      const address = server.address();
      // A listening TCP server has an address object; the other types are those of pipes.
      if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
      server.close(() => resolve(address.port));
    });
  });
