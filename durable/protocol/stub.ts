import { log } from "../../src/log.ts";
import { storageFaultOf, withActorNamed } from "./storage-faults.ts";

type Remote = Readonly<Record<string | symbol, (...args: unknown[]) => Promise<unknown>>>;

/**
 * A stub whose answers an actor may pass on. workerd adds a disposer to every object in an RPC answer. If the object is
 * passed on, the next caller would have to dispose of it; the garbage collector warns about objects that are not
 * disposed of, which ends the whole process under `wrangler dev` (https://github.com/cloudflare/workerd/issues/6842).
 * Our answers are plain data and streams, which need no disposal.
 *
 * A fault of the actor's storage names the actor and its file, in the error and in the log.
 */
export const withPlainAnswers = (stub: DurableObjectStub): unknown =>
  new Proxy(stub as unknown as Remote, {
    get:
      (target, method) =>
      async (...args: unknown[]) => {
        const answer = await called(stub, () => target[method]?.(...args));
        if (typeof answer === "object" && answer !== null) Reflect.deleteProperty(answer, Symbol.dispose);
        return answer;
      },
  });

const called = async (stub: DurableObjectStub, call: () => Promise<unknown> | undefined): Promise<unknown> => {
  try {
    return await call();
  } catch (fault) {
    const named = withActorNamed(fault, stub);
    if (named !== fault) log("storage_failed", { kind: storageFaultOf(fault), message: (named as Error).message });
    throw named;
  }
};
