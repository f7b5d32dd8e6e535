import "./installed.mjs";

const { runCommand } = await import("./failure.ts");
const { serve } = await import("./serve.ts");

/** `npm run dev` */
await runCommand(serve);
