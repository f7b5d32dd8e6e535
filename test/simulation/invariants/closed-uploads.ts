import type { Invariant } from "./invariant.ts";

/** No multipart upload stays open, because the customer pays for its parts. */
export const closedUploads: Invariant = {
  name: "closed-uploads",
  promise:
    "An upload that a run calls aborted was aborted, unless the store did not do it when requested. At the end none is open, also none whose id was lost, unless aborting is forbidden or the destination was deleted.",
  watch: ({ bucket }, violated) => {
    const opened = new Map<string, string>();
    let isDeleted = false;
    return {
      onLine: ({ of, actor, event }) => {
        if (of === "DESTINATION" && event.type === "DestinationDeleted") isDeleted = true;
        if (of !== "EXPORT_RUN") return;
        if (event.type === "UploadOpened") opened.set(actor.name, event.uploadId);
        const uploadId = event.type === "UploadAborted" ? opened.get(actor.name) : undefined;
        if (uploadId === undefined || bucket.doubts.about("abort_upload", uploadId)) return;
        if (bucket.uploads.has(uploadId)) violated(`${actor.name} left ${uploadId} open`);
      },
      atRest: () => {
        if (!bucket.rules.mayAbort || isDeleted) return;
        for (const [uploadId, { key }] of bucket.uploads) violated(`${uploadId} of ${key} is open`);
      },
    };
  },
};
