import { describe, expect, test } from "vitest";
import type { SinkAnswer } from "../support/sink-s3.ts";
import { error, text, useSinks } from "./sinks.ts";

const { sinkWith } = useSinks();

const regionNamedBy = async (answer: SinkAnswer) => {
  const { store } = await sinkWith({ hook: () => answer });
  const written = await store.put("k", text("body"));
  return written.ok ? written : written.failure.wantedRegion;
};

const malformed = (rest: string): SinkAnswer => ({ status: 400, body: error("AuthorizationHeaderMalformed", rest) });

describe("a store names the region that requests are to be signed for", () => {
  test.each<[place: string, answer: SinkAnswer]>([
    ["in an element", malformed("<Region>eu-west-9</Region>")],
    ["in its message", malformed("<Message>the region 'auto' is wrong; expecting 'eu-west-9'</Message>")],
    ["in a header", { status: 301, headers: { "x-amz-bucket-region": "eu-west-9" }, body: error("PermanentRedirect") }],
    ["in a header of an answer without a code", { status: 301, headers: { "x-amz-bucket-region": "eu-west-9" } }],
    ["while it redirects", { status: 307, headers: { "x-amz-bucket-region": "eu-west-9" } }],
  ])("%s", async (_place, answer) => {
    expect(await regionNamedBy(answer)).toBe("eu-west-9");
  });

  test.each<[why: string, answer: SinkAnswer]>([
    ["is no name", malformed("<Region>evil.example/</Region>")],
    ["is too long", malformed(`<Region>${"a".repeat(65)}</Region>`)],
    [
      "stands in an answer about something else",
      { status: 403, headers: { "x-amz-bucket-region": "eu-west-9" }, body: error("AccessDenied") },
    ],
  ])("a region that %s is not used", async (_why, answer) => {
    expect(await regionNamedBy(answer)).toBeUndefined();
  });
});
