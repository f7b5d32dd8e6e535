/**
 * Part of every secret that a test gives to the product, so that what the product says can be searched for it. Letters
 * only: neither a URL nor JSON nor SQL writes it in another way.
 */
export const MARK = "UnseenSecret";

/** ADMIN_KEY of the tests in workerd. */
export const ADMIN_KEY = `${MARK}-of-the-administrator`;

/** 32 bytes in base64. */
export const MASTER_KEY = `${MARK}${"0".repeat(31)}=`;
