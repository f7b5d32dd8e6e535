import type { Compression } from "../../domain/shared/format.ts";
import type { EncodedChunk } from "../chunk.ts";
import { decompressPage } from "../encoding/codec.ts";
import { type LoadedChunk, type LoadedChunks, loadedChunk } from "../read/loaded-chunks.ts";
import { storedPages } from "../read/pages.ts";
import { derivedColumns, type Selection } from "../schema.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import { segmentFile } from "./segment-file.ts";

/**
 * A segment with the same rows in another codec, with the columns of a selection. Works page by page and decodes no
 * value; bounds and bloom filters stay valid. Equal input gives equal bytes.
 */
export const recodedSegment = (
  held: LoadedChunks,
  rows: number,
  { selection, codec }: { readonly selection: Selection; readonly codec: Compression },
): Uint8Array =>
  segmentFile(
    derivedColumns(selection, held).map((column) => recoded(loadedChunk(held, column), codec)),
    rows,
  );

const recoded = ({ file, chunk }: LoadedChunk, codec: Compression): EncodedChunk => {
  const bloomAt = chunk.offset + chunk.bytes;
  const bloom = chunk.bloomBytes === 0 ? null : file.subarray(bloomAt, bloomAt + chunk.bloomBytes);
  if (chunk.codec === codec) {
    const { bloomBytes: _, offset, ...same } = chunk;
    return { ...same, parts: [file.subarray(offset, bloomAt)], bloom };
  }
  const writer = new ChunkWriter(chunk.column, codec);
  for (const { header, body } of storedPages(file, chunk)) {
    const page = decompressPage(chunk.codec, body, header.uncompressed_page_size);
    const { data_page_header: data, dictionary_page_header: dictionary } = header;
    if (dictionary) writer.dictionaryPage(page, dictionary.num_values);
    else if (data?.encoding === "PLAIN" || data?.encoding === "RLE_DICTIONARY") {
      writer.dataPage(page, data.num_values, data.encoding);
    } else throw new Error(`a page of type ${header.type} and encoding ${data?.encoding} in a segment`);
  }
  return writer.finish(chunk.statistics, bloom);
};
