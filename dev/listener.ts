import { runCommand } from "./failure.ts";
import { listen } from "./listener/listen.ts";

/** `npm run listener -- <directory>`: runs deployments as processes of this machine, until Ctrl-C. */
await runCommand(() => listen(process.argv.slice(2)));
