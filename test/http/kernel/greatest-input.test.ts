import { beforeAll, expect, it, vi } from "vitest";
import { ALL_FIELDS } from "../../../src/domain/run/fields.ts";
import { MARK } from "../../support/secrets/mark.ts";
import {
  call,
  DESTINATIONS,
  destinationBody,
  EXPORTS,
  newProject,
  newWorkspace,
  type TestWorkspace,
} from "../client.ts";
import { bodyOf, create, WITHIN } from "../deployments/deploying.ts";

/** The largest requests, in the characters that take the most bytes in JSON, fit into the logs of the actors. */

/** Six bytes of JSON, as a control character; three, as UTF-8; two, with the backslash before it. */
const [CONTROL, HAN, QUOTE] = ["\u0001", "\u5ba2", '"'];

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const post = (path: string, body: object) => call("POST", path, { headers: workspace.headers, body });

const newDestination = async (prefix: string): Promise<string> => {
  const body = destinationBody();
  const made = await post(DESTINATIONS, { ...body, config: { ...body.config, prefix } });
  if (made.status !== 200) throw new Error(made.text);
  return made.body.id;
};

it("an export of 285 years with a filter of 16,384 characters completes", async () => {
  const created = await post(EXPORTS, {
    bulk_export_destination_id: await newDestination(HAN.repeat(256)),
    session_id: await newProject(workspace),
    start_time: "1970-01-01T23:59:59.999Z",
    end_time: "2254-12-31T23:59:59.999Z",
    filter: `eq(name, "${CONTROL.repeat(16_384 - 12)}")`,
    export_fields: ALL_FIELDS,
    format_version: "v2_beta",
  });
  expect([created.status, created.body.filter?.length]).toEqual([200, 16_384]);
  const path = `${EXPORTS}/${created.body.id}`;
  const status = async () => (await call("GET", path, { headers: workspace.headers })).body.status;
  await vi.waitUntil(async () => (await status()) === "COMPLETED", WITHIN);
});

it.each([CONTROL, HAN, QUOTE])("a project with the longest description and extra, of %j, is kept", async (letter) => {
  const extra = { a: letter.repeat(Math.floor((32_768 - 8) / (JSON.stringify(letter).length - 2))) };
  const made = await post("/api/v1/sessions", {
    name: `${HAN.repeat(1000)} ${letter.charCodeAt(0)}`,
    description: letter.repeat(8192),
    extra,
  });
  expect(made.status, made.text.slice(0, 200)).toBe(200);
  expect(made.body.extra).toEqual(extra);
});

it.each([CONTROL, HAN, QUOTE])(
  "a revision with the most secrets, and the longest texts, of %j is kept",
  async (letter) => {
    const value = MARK + letter.repeat(5000);
    const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
    const secrets = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ name: `${"N".repeat(126)}${n}`, value }));
    const most = Math.floor(65_536 / bytes);
    const spec = { a: letter.repeat(Math.floor((16_384 - 8) / (JSON.stringify(letter).length - 2))) };
    const order = (count: number) => {
      const body = bodyOf(`uploads/${crypto.randomUUID()}.tar.gz`, { secrets: secrets(count) });
      const text = HAN.repeat(2048);
      const config = { resource_spec: spec, install_command: text, build_command: text };
      return { ...body, source_config: { ...body.source_config, ...config } };
    };
    const made = await create(workspace, order(most));
    expect(made.status, made.text.slice(0, 200)).toBe(201);
    const refused = await create(workspace, order(most + 1));
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("65536 bytes")]);
  },
);
