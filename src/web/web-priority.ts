import { kernelPriority } from '#kernel';

interface WebPriority {
  readonly request: Readonly<
    Record<'health' | 'preflight' | 'rateLimit' | 'rateLimitOfUser' | 'files', number>
  >;
  readonly response: Readonly<Record<'headers' | 'etag' | 'compression', number>>;
}

/** Priorities of the extensions among the steps of a request (see `kernelPriority`). */
export const webPriority: WebPriority = {
  request: {
    /** Before the host is validated, because probes send an address as the host. */
    health: kernelPriority.request.validate + 64,
    /** Before routing and firewall, because a preflight has neither a route nor credentials. */
    preflight: kernelPriority.request.validate - 16,
    /** Early, so that refusals are cheap. */
    rateLimit: kernelPriority.request.validate - 24,
    /** After the firewall, when the user is known. */
    rateLimitOfUser: kernelPriority.request.firewall - 1,
    /** After the firewall, because access rules apply to files too. */
    files: kernelPriority.request.firewall - 4,
  },
  response: {
    headers: kernelPriority.response.contentLanguage - 10,
    etag: -400,
    compression: -450,
  },
};
