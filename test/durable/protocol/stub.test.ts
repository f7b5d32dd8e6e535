import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { workspace } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";

describe("an answer that an actor may pass on", () => {
  const asked = workspace(env as Env, "a-tenant-of-the-stub-test");
  it.each([
    { kind: "a record", answer: () => asked.project("unknown") },
    { kind: "a list", answer: () => asked.resolveProjects([]) },
  ])("needs no disposal: $kind", async ({ answer }) => {
    expect(Object.getOwnPropertySymbols(await answer())).toEqual([]);
  });

  it("stays unchanged when it is not an object", async () => {
    expect(await asked.binding("unknown")).toBeNull();
  });
});
