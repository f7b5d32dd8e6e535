import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/** A child process of the benchmark: a peer or the bucket. Separate processes allow to measure CPU time and memory of each. */
export interface Child {
  readonly processId: number;
  /** Sends a request and waits for its answer. Throws if the child failed or ended. */
  ask<Answer>(request: object): Promise<Answer>;
  /** Kills the process; resolves when it has ended and its file locks are released. */
  end(): Promise<void>;
}

interface Reply {
  readonly answer?: unknown;
  readonly failure?: string;
}

/** Starts `bench/<script>`. */
export const startChild = (script: string): Child => {
  const child = fork(join(import.meta.dirname, script), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  if (child.pid === undefined) throw new Error(`${script} did not start`);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    processId: child.pid,
    ask: (request) => askChild(child, script, request),
    end: () => {
      child.kill("SIGKILL");
      return exited;
    },
  };
};

/** Runs in the child: answers the requests of the parent and exits with it. */
export const serveParent = (answer: (request: never) => Promise<unknown>): void => {
  process.on("message", (request) => {
    // The parent sends requests of the script's own type.
    answer(request as never).then(
      (value) => process.send?.({ answer: value } satisfies Reply),
      (failure: unknown) => process.send?.({ failure: String(failure) } satisfies Reply),
    );
  });
  process.on("disconnect", () => process.exit());
};

const askChild = <Answer>(child: ChildProcess, script: string, request: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`${script} ended during a request`));
    child.once("exit", ended);
    child.once("message", (reply: Reply) => {
      child.removeListener("exit", ended);
      // The caller names the type of the answer.
      if (reply.failure === undefined) resolve(reply.answer as Answer);
      else reject(new Error(`${script}: ${reply.failure}`));
    });
    child.send(request);
  });
