/** Where the first block of a frame ends, by RFC 8878 (3.1.1); a frame of one block ends there too. */
export const firstBlockEnd = (frame: Uint8Array): number => {
  const descriptor = frame[MAGIC_BYTES] ?? 0;
  const isSingleSegment = ((descriptor >> 5) & 1) === 1;
  const contentSizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6] ?? 0;
  const at =
    MAGIC_BYTES +
    1 +
    (isSingleSegment ? 0 : 1) +
    (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) +
    (contentSizeBytes === 0 && isSingleSegment ? 1 : contentSizeBytes);
  const header = (frame[at] ?? 0) | ((frame[at + 1] ?? 0) << 8) | ((frame[at + 2] ?? 0) << 16);
  const isRepeatedByte = ((header >> 1) & 3) === 1;
  return Math.min(at + BLOCK_HEADER_BYTES + (isRepeatedByte ? 1 : header >> 3), frame.length);
};

/** Most bytes that a block restores to (RFC 8878, 3.1.1.2.4). */
export const MOST_BLOCK_BYTES = 128 * 1024;

const MAGIC_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
/** By the two bits of the frame header's descriptor. */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
