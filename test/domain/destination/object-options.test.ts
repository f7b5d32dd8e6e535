import { describe, expect, it } from "vitest";
import { taggingProblem } from "../../../src/domain/destination/object-options.ts";

const tags = (count: number) => Array.from({ length: count }, (_, index) => `key${index}=value`).join("&");

describe("tags of objects", () => {
  it.each(["team=data", "team=data&cost=7%25", "empty=", "a+b=c+d", "%C3%BC=%C3%BC", tags(10), `k=${"v".repeat(256)}`])(
    "%j is a list of tags",
    (tagging) => {
      expect(taggingProblem(tagging)).toBeNull();
    },
  );

  it.each([
    "",
    "a=b\r\nX-Evil: 1",
    "a=b c",
    "a=\u00fc",
    "a=%",
    "a=%ff",
    "=b",
    "a=b=c",
    "a=b&a=c",
    "a=b&",
    tags(11),
    `${"k".repeat(129)}=v`,
    `k=${"v".repeat(257)}`,
    `k=${"%20".repeat(2000)}`,
  ])("%j is refused", (tagging) => {
    expect(taggingProblem(tagging)).not.toBeNull();
  });
});
