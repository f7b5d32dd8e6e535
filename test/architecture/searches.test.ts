import { expect, it } from "vitest";
import { filesBelow, textOf } from "./source-files.ts";

/** Ways past the searches for secrets in test/support/secrets. */

const users = (folders: readonly string[], way: RegExp): readonly string[] =>
  folders.flatMap((folder) => filesBelow(`test/${folder}`)).filter((file) => way.test(textOf(file)));

it("the Worker is asked in one place only, which searches its answers for secrets", () => {
  expect(users(["http", "durable"], /exports\.default\.fetch|src\/http\/app\.ts/)).toEqual(["test/http/client.ts"]);
});

it("a service is asked by fetch alone, whose answers are searched", () => {
  const folders = ["system"];
  expect(users(folders, /import \{[^}]*\brequest\b[^}]*\} from "(?:node:https?|undici)"/)).toEqual([]);
});
