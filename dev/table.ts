/** A plain text table. Numbers are right-aligned; text and the first column are left-aligned. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[], indent = "   "): string => {
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const isNumeric = header.map(
    (_, column) =>
      rows.every((row) => /^[-$]?[\d.,]*( ?[A-Za-z%]+)?$/.test(row[column] ?? "")) &&
      rows.some((row) => /\d/.test(row[column] ?? "")),
  );
  const line = (cells: readonly string[]): string =>
    indent +
    cells
      .map((cell, column) =>
        isNumeric[column] && column > 0 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("   ")
      .trimEnd();
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
};
