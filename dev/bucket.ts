/** The local bucket's Worker serves nothing itself: wrangler answers S3 requests for its bucket. */
export default { fetch: (): Response => new Response(null, { status: 404 }) };
