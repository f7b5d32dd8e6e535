import { fail, ok, type Result } from "../domain/shared/result.ts";

/**
 * Encryption of secrets for storage: AES-256-GCM. The envelope holds the id of its master key, so that master keys can
 * rotate.
 *
 * Envelope, version 1: `wbe1.<key id>.<iv>.<ciphertext and tag>`, the last two in base64url without padding. The
 * additional data are the version, the key id and the caller's context (for example the destination's id), so that an
 * envelope opens in its own context only.
 */

/** Keys by id. `sealing` is the id of the key that seals; all keys open. Never leaves the memory of a Worker. */
export interface MasterKeys {
  readonly sealing: string;
  readonly byId: ReadonlyMap<string, Uint8Array>;
}

export interface MasterKeysFailure {
  readonly reason: "master_keys_not_valid";
  /** What to correct; contains nothing of the setting. */
  readonly message: string;
}

export type EnvelopeFailure =
  /** Not an envelope of a known version. */
  | { readonly reason: "malformed_envelope" }
  /** Sealed under a master key that is no longer in the setting. */
  | { readonly reason: "unknown_master_key"; readonly keyId: string }
  /** Changed since it was sealed, sealed for another context, or the key with that id was replaced. */
  | { readonly reason: "envelope_does_not_open" };

const VERSION = "wbe1";

/** Id of a master key without an id in the setting. */
const UNNAMED_KEY_ID = "default";

const KEY_BYTES = 32;

/** Standard length for GCM. The IV is random, which allows 2^32 envelopes per key (NIST SP 800-38D, 8.3). */
const IV_BYTES = 12;

const TAG_BYTES = 16;

const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

/** Parses the setting MASTER_KEYS: one key in base64, or `<key id>:<base64>,...`; the first key seals. */
export function parseMasterKeys(setting: string): Result<MasterKeys, MasterKeysFailure> {
  const entries = setting.split(",").map((entry) => entry.trim());
  const byId = new Map<string, Uint8Array>();
  for (const entry of entries) {
    const colon = entry.indexOf(":");
    if (colon < 0 && entries.length > 1) return notValid("Give each of several keys as <key id>:<base64>.");
    const id = colon < 0 ? UNNAMED_KEY_ID : entry.slice(0, colon);
    if (!KEY_ID.test(id)) return notValid("Give key ids of 1 to 32 letters, digits, - and _.");
    if (byId.has(id)) return notValid("Give each key its own id.");
    const key = bytesFromBase64(entry.slice(colon + 1));
    if (key?.length !== KEY_BYTES) return notValid("Give keys of 32 random bytes in base64: openssl rand -base64 32");
    byId.set(id, key);
  }
  const sealing = byId.keys().next().value;
  return sealing === undefined ? notValid("Give at least one key.") : ok({ sealing, byId });
}

/** Seals a text with the sealing key. Equal texts give different envelopes. */
export async function sealSecret(plain: string, keys: MasterKeys, context: string): Promise<string> {
  const bytes = keys.byId.get(keys.sealing);
  if (bytes === undefined) throw new Error("the sealing key is not among the master keys");
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: boundData(keys.sealing, context) },
    await cipherKey(bytes, "encrypt"),
    new TextEncoder().encode(plain),
  );
  return [VERSION, keys.sealing, base64Url(iv), base64Url(new Uint8Array(sealed))].join(".");
}

/** Opens an envelope of `sealSecret` with the same context. */
export async function openSecret(
  envelope: string,
  keys: MasterKeys,
  context: string,
): Promise<Result<string, EnvelopeFailure>> {
  const [version, keyId, ivText, sealedText, ...rest] = envelope.split(".");
  if (version !== VERSION || keyId === undefined || !KEY_ID.test(keyId) || rest.length > 0) return malformed;
  const iv = bytesFromBase64Url(ivText ?? "");
  const sealed = bytesFromBase64Url(sealedText ?? "");
  if (iv?.length !== IV_BYTES || sealed === null || sealed.length < TAG_BYTES) return malformed;
  const bytes = keys.byId.get(keyId);
  if (bytes === undefined) return fail({ reason: "unknown_master_key", keyId });
  const key = await cipherKey(bytes, "decrypt");
  try {
    const plain = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv, additionalData: boundData(keyId, context) },
      key,
      sealed,
    );
    return ok(new TextDecoder().decode(plain));
  } catch {
    // Web Crypto throws the same error for every cause.
    return fail({ reason: "envelope_does_not_open" });
  }
}

const malformed = fail({ reason: "malformed_envelope" } as const);

const notValid = (message: string) => fail({ reason: "master_keys_not_valid", message } as const);

const cipherKey = (bytes: Uint8Array, use: "encrypt" | "decrypt"): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [use]);

/** A key id contains no line break, so each pair of key id and context gives a different text. */
const boundData = (keyId: string, context: string): Uint8Array =>
  new TextEncoder().encode(`${VERSION}.${keyId}\n${context}`);

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const bytesFromBase64Url = (text: string): Uint8Array | null =>
  /^[A-Za-z0-9_-]*$/.test(text) ? bytesFromBase64(text.replaceAll("-", "+").replaceAll("_", "/")) : null;

const bytesFromBase64 = (text: string): Uint8Array | null => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
};
