import { expect, inject, it } from "vitest";
import { workspace } from "../../../durable/protocol/actors.ts";
import { tableSource } from "../../support/samples.ts";
import { MARK } from "../../support/secrets/mark.ts";
import { newWorkspace } from "../exporting.ts";
import { env } from "../traces.ts";

const sourceOf = (user: string) => ({ ...tableSource, url: inject("emptyTableUrl"), user });

it("a binding whose table is checked for long does not replace one that a later request made", async () => {
  const { tenantId, project } = await newWorkspace();
  const home = workspace(env, tenantId);
  const slow = home.bindProject({ id: project.id, source: sourceOf("slow"), password: MARK });
  const later = await home.bindProject({ id: project.id, source: sourceOf("quick"), password: MARK });
  expect(later).toMatchObject({ ok: true });
  expect(await slow).toMatchObject({ ok: false, failure: { reason: "conflict" } });
  expect(await home.binding(project.id)).toMatchObject({ source: { user: "quick" } });
});

it("a binding whose table is checked for long does not come back after a later request removed it", async () => {
  const { tenantId, project } = await newWorkspace();
  const home = workspace(env, tenantId);
  await home.bindProject({ id: project.id, source: sourceOf("quick"), password: MARK });
  const slow = home.bindProject({ id: project.id, source: sourceOf("slow"), password: MARK });
  expect(await home.unbindProject(project.id)).toMatchObject({ ok: true });
  expect(await slow).toMatchObject({ ok: false, failure: { reason: "conflict" } });
  expect(await home.binding(project.id)).toBeNull();
});
