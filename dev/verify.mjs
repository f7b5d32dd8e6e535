import "./installed.mjs";

const { runCommand } = await import("./failure.ts");
const { verify } = await import("./verify/verify.ts");

/** `npm run verify`; dev/verify/options.ts describes its arguments. */
await runCommand(async () => {
  if (!(await verify(process.argv.slice(2)))) process.exitCode = 1;
});
