import type { Invariant } from "./invariant.ts";

/** No multipart upload stays open, because the customer pays for its parts. */
export const closedUploads: Invariant = {
  name: "closed-uploads",
  promise:
    "At the end no multipart upload that a run has recorded is open, unless aborting is forbidden, the store did not abort it when requested, or the destination was deleted.",
  watch: (world, violated) => {
    const recorded = new Map<string, string>();
    let isDeleted = false;
    return {
      onLine: ({ of, actor, event }) => {
        if (of === "DESTINATION" && event.type === "DestinationDeleted") isDeleted = true;
        if (of === "EXPORT_RUN" && event.type === "UploadOpened") recorded.set(event.uploadId, actor.name);
      },
      atRest: () => {
        const { bucket } = world;
        if (!bucket.rules.mayAbort || isDeleted) return;
        for (const uploadId of bucket.uploads.keys()) {
          const owner = recorded.get(uploadId);
          if (owner !== undefined && !bucket.doubts.about("abort_upload", uploadId))
            violated(`${owner} left ${uploadId} open`);
        }
      },
    };
  },
};
