import "../dev/installed.mjs";

await import("./bench.ts");
