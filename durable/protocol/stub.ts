import { log } from "../../src/log.ts";
import { storageFaultOf, withActorNamed } from "./storage-faults.ts";

type Remote = Readonly<Record<string | symbol, (...args: unknown[]) => Promise<unknown>>>;

/**
 * The stub, with answers that an actor may hand on as they are. workerd gives every object that an RPC answers with a
 * disposer. Handed on by the actor that asked, the object would oblige the next caller to dispose of it, and what is
 * not disposed of is warned about by the garbage collector, which under `wrangler dev` ends the whole process
 * (https://github.com/cloudflare/workerd/issues/6842). Our answers are plain data and streams: nothing is held by them.
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
