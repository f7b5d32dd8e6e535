import { generateRandomCodeVerifier } from "oauth4webapi";

/** A PKCE code verifier: 32 random bytes in base64url (RFC 7636, 4.1). */
export const newVerifier = (): string => generateRandomCodeVerifier();
