import { describe, expect, it } from "vitest";
import { headerParameters } from "../../../src/trace/ingest/multipart/header-parameters.ts";

describe("the parameters of a header field", () => {
  it.each<[string, Record<string, string>]>([
    ["form-data", {}],
    ['form-data; name="a.b"; filename=c.png', { name: "a.b", filename: "c.png" }],
    ['Content-Disposition: form-data;NAME = "a"', { name: "a" }],
    ['form-data; filename="a; name=zz"; name="b"', { filename: "a; name=zz", name: "b" }],
    ['form-data; name="say \\"a\\" \\\\"', { name: 'say "a" \\' }],
    ["text/plain; length=5; length=6", { length: "5" }],
    ["text/plain;; charset; length=5;", { "": "", charset: "", length: "5" }],
    ['form-data; name="no end', { name: "" }],
    ["form-data; a=b c; name=d", { a: "b" }],
  ])("are read by their names: %s", (field, parameters) => {
    expect(Object.fromEntries(headerParameters(field))).toEqual(parameters);
  });
});
