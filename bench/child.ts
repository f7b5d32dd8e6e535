import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/** A process of the benchmark that answers questions: a peer or the bucket. Each runs alone, so that its CPU and memory are its own. */
export interface Child {
  readonly processId: number;
  /** Sends a request and waits for its answer; throws what the child threw. */
  ask<Answer>(request: object): Promise<Answer>;
  /** Ends it; resolves when it is gone, with its locks on files. */
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
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    processId: child.pid,
    ask: (request) => askChild(child, script, request),
    end: () => {
      child.kill("SIGKILL");
      return gone;
    },
  };
};

/** The other side: answers every request of the parent, one after the other, and ends with it. */
export const serveParent = (answer: (request: never) => Promise<unknown>): void => {
  process.on("message", (request) => {
    // The parent sends what the script's own request type says.
    answer(request as never).then(
      (value) => process.send?.({ answer: value } satisfies Reply),
      (failure: unknown) => process.send?.({ failure: String(failure) } satisfies Reply),
    );
  });
  process.on("disconnect", () => process.exit());
};

const askChild = <Answer>(child: ChildProcess, script: string, request: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`${script} ended while it was asked`));
    child.once("exit", ended);
    child.once("message", (reply: Reply) => {
      child.removeListener("exit", ended);
      // The child answers with what the caller names as Answer.
      if (reply.failure === undefined) resolve(reply.answer as Answer);
      else reject(new Error(`${script}: ${reply.failure}`));
    });
    child.send(request);
  });
