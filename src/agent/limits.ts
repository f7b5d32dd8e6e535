/** Bounds of an agent server's source. A Worker may have 10 MiB compressed (Cloudflare: Workers limits); ours has as much. */

const MIB = 1024 * 1024;

/** Longest .tar.gz [LIM-36]. */
export const MAX_TARBALL_BYTES = 10 * MIB;

/** Longest archive once decompressed: four times what is taken over the wire, and far below an isolate's 128 MB. */
export const MAX_UNPACKED_BYTES = 40 * MIB;

export const MAX_FILES = 1000;

export const MAX_PATH_CHARACTERS = 255;
