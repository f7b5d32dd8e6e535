import "./installed.mjs";

const { runCommand } = await import("./failure.ts");
const { listen } = await import("./listener/listen.ts");

/** `npm run listener -- <directory>`: runs deployments as processes on this machine until Ctrl-C. */
await runCommand(() => listen(process.argv.slice(2)));
