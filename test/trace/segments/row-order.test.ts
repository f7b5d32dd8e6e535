import { expect, it } from "vitest";
import { inRowOrder } from "../../../src/trace/segments/row-order.ts";

const run = (id: string, dottedOrder: string | null, status = "success", start = 0) => ({
  ...{ id, status },
  dotted_order: dottedOrder,
  start_time: start,
});

const ordered = (...runs: readonly ReturnType<typeof run>[]): readonly string[] =>
  runs.toSorted(inRowOrder).map(({ id }) => id);

it("runs of a trace are adjacent, parents before children, even if traces overlap in time", () => {
  const runs = [run("b", "1Ta"), run("c", "2Td"), run("x", "1Ta.3Tb"), run("y", "2Td.4Te"), run("z", "1Ta.3Tb.5Tf")];
  expect(ordered(...runs)).toEqual(["b", "x", "z", "c", "y"]);
});

it("runs that failed come first, in the same order", () => {
  const runs = [run("a", "1"), run("b", "2", "error"), run("c", "1.1", "error"), run("d", "3", "pending")];
  expect(ordered(...runs)).toEqual(["c", "b", "a", "d"]);
});

it("runs without a dotted order come last, by time and by id", () => {
  const runs = [
    run("b", null, "success", 2),
    run("a", null, "success", 2),
    run("c", null, "success", 1),
    run("d", "9"),
  ];
  expect(ordered(...runs)).toEqual(["d", "c", "a", "b"]);
  expect(ordered(...runs.toReversed())).toEqual(["d", "c", "a", "b"]);
});
