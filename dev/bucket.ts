/** The Worker of the local bucket. It answers no requests itself: wrangler answers the S3 requests for its bucket. */
export default { fetch: (): Response => new Response(null, { status: 404 }) };
