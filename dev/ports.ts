import { createServer } from "node:net";
import { DevFailure } from "./failure.ts";

const HOST = "127.0.0.1";

/** A port of 127.0.0.1 that was free a moment ago. */
export const freePort = (): Promise<number> => bindOnce(0);

/** Fails with a plain message when somebody listens on the port already. */
export const assertPortIsFree = async (port: number): Promise<void> => {
  try {
    await bindOnce(port);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EACCES") throw new DevFailure(`Port ${port} may not be used by this user. Choose another with PORT.`);
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
      // A TCP server that listens has an address object; the other forms belong to pipes.
      if (address === null || typeof address === "string") throw new Error("a TCP server without a port");
      server.close(() => resolve(address.port));
    });
  });
