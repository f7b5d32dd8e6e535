import { runCommand } from "./failure.ts";
import { assertInstalled } from "./wrangler.ts";

/** `npm run demo:deploy`. The demo itself is loaded only when what it needs is installed. */
await runCommand(async () => {
  assertInstalled();
  const { demo } = await import("./demo-deploy/demo.ts");
  await demo();
});
