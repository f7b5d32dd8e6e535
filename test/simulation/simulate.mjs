import "../../dev/installed.mjs";

// The hooks edit what is loaded after them.
await import("./hooks.ts");
await import("./simulate.ts");
