import { MANIFEST_VERSION } from "../../src/domain/export/manifest.ts";
import { DevFailure } from "../failure.ts";

/** The members of a manifest that verification uses. */
export interface Manifest {
  readonly export_id: string;
  readonly bucket_name: string;
  readonly prefix: string;
  readonly rows: number;
  readonly bytes: number;
  readonly runs: readonly { readonly files: readonly ManifestFile[] }[];
}

export interface ManifestFile {
  readonly key: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly expected_etag: string;
  /** null: the store returned none. */
  readonly etag: string | null;
}

/** Throws a DevFailure if the text is not a manifest of a supported version. */
export const readManifest = (text: string): Manifest => {
  const manifest = parsed(text);
  if (manifest?.manifest_version === MANIFEST_VERSION) return manifest as unknown as Manifest; // as manifestOf writes it
  if (manifest?.manifest_version === undefined) throw new DevFailure("This is not a manifest of Waybill.");
  throw new DevFailure(
    `This manifest has version ${manifest.manifest_version}; only version ${MANIFEST_VERSION} can be verified.`,
  );
};

export const filesOf = (manifest: Manifest): readonly ManifestFile[] => manifest.runs.flatMap((run) => run.files);

const parsed = (text: string): { readonly manifest_version?: unknown } | null => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
