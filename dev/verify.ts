import { runCommand } from "./failure.ts";
import { verify } from "./verify/verify.ts";

/** `npm run verify`: see dev/verify/options.ts for what it takes. */
await runCommand(async () => {
  if (!(await verify(process.argv.slice(2)))) process.exitCode = 1;
});
