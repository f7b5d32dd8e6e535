import { Hono } from "hono";
import { Client } from "langsmith";
import { RunTree } from "langsmith/run_trees";

/** The variables that Waybill sets for an agent, and GREETING, a secret of this deployment. */
interface Environment {
  readonly LANGSMITH_ENDPOINT: string;
  readonly LANGSMITH_API_KEY: string;
  readonly LANGSMITH_PROJECT: string;
  readonly GREETING?: string;
}

/** A small agent server. It greets and traces each turn to Waybill with the SDK. */
const app = new Hono<{ Bindings: Environment }>();

/** The revision becomes DEPLOYED when this answers 200. */
app.get("/ok", (context) => context.json({ ok: true }));

app.post("/chat", async (context) => {
  const { message } = await context.req.json<{ message: string }>();
  const { GREETING = "Hello", ...tracing } = context.env;
  const turn = new RunTree({
    name: "chat",
    run_type: "chain",
    project_name: tracing.LANGSMITH_PROJECT,
    inputs: { message },
    tracingEnabled: true,
    client: new Client({
      apiUrl: tracing.LANGSMITH_ENDPOINT,
      apiKey: tracing.LANGSMITH_API_KEY,
      autoBatchTracing: false,
    }),
  });
  const reply = `${GREETING}, ${message}!`;
  await turn.postRun();
  await turn.end({ reply });
  await turn.patchRun();
  return context.json({ reply });
});

export default app;
