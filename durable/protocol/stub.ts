type Remote = Readonly<Record<string | symbol, (...args: unknown[]) => Promise<unknown>>>;

/**
 * The stub, with answers that an actor may hand on as they are. workerd gives every object that an RPC answers with a
 * disposer. Handed on by the actor that asked, the object would oblige the next caller to dispose of it, and what is
 * not disposed of is warned about by the garbage collector, which under `wrangler dev` ends the whole process
 * (https://github.com/cloudflare/workerd/issues/6842). Our answers are plain data and streams: nothing is held by them.
 */
export const withPlainAnswers = (stub: DurableObjectStub): unknown =>
  new Proxy(stub as unknown as Remote, {
    get:
      (target, method) =>
      async (...args: unknown[]) => {
        const answer = await target[method]?.(...args);
        if (typeof answer === "object" && answer !== null) Reflect.deleteProperty(answer, Symbol.dispose);
        return answer;
      },
  });
