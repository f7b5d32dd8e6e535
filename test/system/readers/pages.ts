import { readFileSync } from "node:fs";
import { parquetMetadata } from "hyparquet";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";

/** Parquet's PageType: a data page of version 1, a dictionary, a data page of version 2. */
export type PageKind = "data v1" | "dictionary" | "data v2" | "other";

const KINDS: Readonly<Record<number, PageKind>> = { 0: "data v1", 2: "dictionary", 3: "data v2" };

/** Kinds of all pages of a file, read from the page headers. */
export const pageKinds = (path: string): PageKind[] => {
  const bytes = readFileSync(path);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const kinds: PageKind[] = [];
  for (const group of parquetMetadata(buffer).row_groups) {
    for (const { meta_data: chunk } of group.columns) {
      if (chunk === undefined) throw new Error("a column chunk without metadata");
      let offset = Number(chunk.dictionary_page_offset ?? chunk.data_page_offset);
      const end = offset + Number(chunk.total_compressed_size);
      while (offset < end) {
        const reader = { view: new DataView(buffer, offset), offset: 0 };
        // Field 1 of PageHeader is its type, field 3 the compressed size of the page behind it.
        const header = deserializeTCompactProtocol(reader);
        kinds.push(KINDS[Number(header.field_1)] ?? "other");
        offset += reader.offset + Number(header.field_3);
      }
      if (offset !== end) throw new Error("pages do not fill their column chunk");
    }
  }
  return kinds;
};
