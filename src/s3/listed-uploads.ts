import type { UploadsCursor } from "../domain/destination/sweep.ts";
import type { ListedUploads, OpenUpload } from "../store/store.ts";
import { readReply, uploadIdOf } from "./replies.ts";

/** Longest key in S3, in bytes of UTF-8; no fewer than its characters. */
const MAX_KEY_LENGTH = 1024;

/** An instant as S3 stores write it: ISO 8601 in UTC. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/**
 * Reads a page of ListMultipartUploads; null: it is none. Entries without a usable key, id or instant are left out. A page
 * that does not lead further than `from` is the last one, so that no store keeps its reader busy for ever.
 */
export function listedUploadsOf(bytes: Uint8Array, from: UploadsCursor | null): ListedUploads | null {
  const reply = readReply(bytes);
  if (reply?.root !== "ListMultipartUploadsResult") return null;
  const uploads = reply.each("Upload").flatMap((text) => openUploadOf(text) ?? []);
  return { uploads, next: reply.text("IsTruncated") === "true" ? nextOf(reply.text, from) : null };
}

type TextOf = (element: string) => string | null;

function openUploadOf(text: TextOf): OpenUpload | null {
  const [key, uploadId, initiated] = [keyOf(text("Key")), uploadIdOf(text("UploadId")), text("Initiated")];
  if (key === null || uploadId === null || initiated === null || !INSTANT.test(initiated)) return null;
  const initiatedAt = Date.parse(initiated);
  return Number.isNaN(initiatedAt) ? null : { key, uploadId, initiatedAt };
}

function nextOf(text: TextOf, from: UploadsCursor | null): UploadsCursor | null {
  const [key, uploadId] = [keyOf(text("NextKeyMarker")), uploadIdOf(text("NextUploadIdMarker"))];
  if (key === null || uploadId === null) return null;
  return key === from?.key && uploadId === from.uploadId ? null : { key, uploadId };
}

/** A lone surrogate has no place in a URL. */
const keyOf = (text: string | null): string | null =>
  text !== null && text !== "" && text.length <= MAX_KEY_LENGTH && text.isWellFormed() ? text : null;
