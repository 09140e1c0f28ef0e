/**
 * Fields that differ between any two requests, or follow from other differences: dates, request ids, tokens, our own
 * figures.
 */
const noise =
  /^(?:date|age|expires|last-modified|etag|content-length|connection|keep-alive|server-timing|(?:x-)?request-id|(?:x-)?correlation-id|x-amzn-(?:trace|request)id|x-trace-id|traceparent|tracestate|sentry-trace|b3|x-b3-[a-z]+|x-cloud-trace-context|cf-ray|lookback-replay|x-(?:previous-)?debug-token(?:-link)?|x-response-time|x-runtime|peer)$/i;

/** Returns whether a field differs between any two requests, so that its difference means nothing. */
export function isNoise(name: string): boolean {
  return noise.test(name);
}
