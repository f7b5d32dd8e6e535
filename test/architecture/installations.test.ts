import { expect, it } from "vitest";
import { textOf } from "./source-files.ts";

const configuration = textOf("wrangler.toml");

/** Bindings and classes of the default installation, or of an environment. */
const bindingsOf = (environment: string): readonly string[] => {
  const sections = configuration.split(/^(?=\[)/m);
  const own = sections.filter((section) => new RegExp(`^\\[\\[${environment}(?:durable|r2|worker)`).test(section));
  return own.map((section) => `${/^binding|name = .*$/m.exec(section)?.[0]} ${/class_name = .*/.exec(section)?.[0]}`);
};

it("the EU installation has every binding of the default one, and keeps everything in the jurisdiction eu", () => {
  expect(bindingsOf("env.eu.")).toEqual(bindingsOf(""));
  const [, eu = ""] = configuration.split("[env.eu]");
  expect(eu).toContain('JURISDICTION = "eu"');
  expect(eu).toMatch(/\[\[env\.eu\.r2_buckets\]\][^[]*bucket_name = "waybill-segments-eu"\njurisdiction = "eu"/);
});

it("an installation needs Node 20, and brings the Node that its commands run with", () => {
  const { engines, devDependencies } = JSON.parse(textOf("package.json"));
  expect([engines.node, devDependencies.node]).toEqual([">=20", expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
});
