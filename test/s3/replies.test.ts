import { describe, expect, test } from "vitest";
import { codeOf, completionOf, etagOf, readReply, uploadIdOf } from "../../src/s3/replies.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("the error code of a response", () => {
  test.each([
    [
      "AWS",
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>m</Message></Error>',
      "NoSuchKey",
    ],
    ["Swift", "<?xml version='1.0' encoding='UTF-8'?>\n<Error><Code>BadDigest</Code></Error>", "BadDigest"],
    ["after keep-alive spaces", " \n \n<Error><Code>SlowDown</Code></Error>", "SlowDown"],
    ["with a byte order mark", "\ufeff<Error><Code>SlowDown</Code></Error>", "SlowDown"],
    ["with a namespace", '<Error xmlns="urn:x"><Code>SlowDown</Code></Error>', "SlowDown"],
    ["wrapped", "<ErrorResponse><Error><Code>ExpiredToken</Code></Error></ErrorResponse>", "ExpiredToken"],
    ["cut off after the code", "<Error><Code>SlowDown</Code><Mess", "SlowDown"],
    ["cut off inside the code", "<Error><Code>Slow", null],
    ["empty", "", null],
    ["a page", "<html><body><Code>AccessDenied</Code></body></html>", null],
    ["a document type", '<!DOCTYPE Error [<!ENTITY a "b">]><Error><Code>&a;</Code></Error>', null],
    ["a secret in place of the code", "<Error><Code>key=AKIA/secret</Code></Error>", null],
    ["a very long code", `<Error><Code>${"A".repeat(65)}</Code></Error>`, null],
    ["child elements in place of the code", "<Error><Code><b>x</b></Code></Error>", null],
    ["JSON", '{"Error":{"Code":"SlowDown"}}', null],
  ])("%s", (_name, text, code) => {
    expect(codeOf(bytes(text))).toBe(code);
  });

  test("an XML bomb is not expanded", () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i} "&l${i - 1};&l${i - 1};">`).join("")}]><Error><Code>&l9;</Code></Error>`;
    expect(codeOf(bytes(bomb))).toBeNull();
  });

  test("responses built to be slow to parse are read in linear time", () => {
    const replies = [
      "<".repeat(65_536),
      "<Error>".repeat(9_000),
      `<Error><Code>${"&".repeat(65_000)}`,
      " ".repeat(65_536),
      `<?xml?>${" ".repeat(65_000)}`,
    ].map(bytes);
    // Enough repetitions that quadratic time would exceed the time limit of a test.
    for (let round = 0; round < 50; round++) expect(replies.map(codeOf)).toEqual([null, null, null, null, null]);
  });
});

describe("values of responses", () => {
  test.each([
    ['"abc"', "abc"],
    ['W/"abc"', "abc"],
    ["abc", "abc"],
    ['"0f343b0931126a20f133d67c2b018a3b-2"', "0f343b0931126a20f133d67c2b018a3b-2"],
    ['""', null],
    ["", null],
    ['a"b', null],
    ["a\nb", null],
    [`"${"a".repeat(1025)}"`, null],
    [null, null],
  ])("ETag %j is %j", (text, etag) => {
    expect(etagOf(text)).toBe(etag);
  });

  test("quotes of an ETag are entities in XML", () => {
    const reply = readReply(bytes("<R><ETag>&quot;ab&#45;2&#x22;</ETag></R>"));
    expect(etagOf(reply?.text("ETag") ?? null)).toBe("ab-2");
  });

  test("an upload id is visible ASCII", () => {
    expect(uploadIdOf("2~abc+/=_-.")).toBe("2~abc+/=_-.");
    expect([uploadIdOf(""), uploadIdOf("a b"), uploadIdOf("x".repeat(2049)), uploadIdOf(null)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test("an ETag cannot inject XML into the list of parts", () => {
    const body = new TextDecoder().decode(completionOf([{ partNumber: 1, etag: "<a>&b" }]));
    expect(body).toContain('<PartNumber>1</PartNumber><ETag>"&#60;a&#62;&#38;b"</ETag>');
  });
});
