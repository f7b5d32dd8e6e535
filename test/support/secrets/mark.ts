/**
 * Part of each secret that a test gives to the product, so that the product's output can be searched for it. Letters
 * only, because URLs, JSON and SQL do not escape them.
 */
export const MARK = "UnseenSecret";

/** ADMIN_KEY of the tests in workerd. */
export const ADMIN_KEY = `${MARK}-of-the-administrator`;

/** 32 bytes in base64. */
export const MASTER_KEY = `${MARK}${"0".repeat(31)}=`;
