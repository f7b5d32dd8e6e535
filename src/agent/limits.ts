/** Limits of an agent server's source. */

const MIB = 1024 * 1024;

/** Longest .tar.gz [LIM-36]. A Worker may have 10 MiB compressed (Cloudflare: Workers limits). */
export const MAX_TARBALL_BYTES = 10 * MIB;

/** Longest decompressed archive: four times the longest .tar.gz, far below the 128 MB of an isolate. */
export const MAX_UNPACKED_BYTES = 40 * MIB;

/** Files of one archive. */
export const MAX_FILES = 1000;

/** Longest path in an archive; file systems commonly allow 255. */
export const MAX_PATH_CHARACTERS = 255;
