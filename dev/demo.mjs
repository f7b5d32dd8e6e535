import "./installed.mjs";

const { runCommand } = await import("./failure.ts");
const { demo } = await import("./demo/demo.ts");

/** `npm run demo` */
await runCommand(demo);
