import "./installed.mjs";

const { runCommand } = await import("./failure.ts");
const { demo } = await import("./demo-deploy/demo.ts");

/** `npm run demo:deploy` */
await runCommand(demo);
