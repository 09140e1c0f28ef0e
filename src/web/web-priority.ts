import { kernelPriority } from '#kernel';

interface WebPriority {
  readonly request: Readonly<
    Record<'health' | 'preflight' | 'rateLimit' | 'rateLimitOfUser' | 'files', number>
  >;
  readonly response: Readonly<Record<'headers' | 'etag' | 'compression', number>>;
}

/** Where the parts of this house stand among the steps of a request (see `kernelPriority`). */
export const webPriority: WebPriority = {
  request: {
    /** Before the host is checked: probes send an address as the host. */
    health: kernelPriority.request.validate + 64,
    /** A preflight has neither a route nor a login. */
    preflight: kernelPriority.request.validate - 16,
    /** The cheaper a refusal, the better. */
    rateLimit: kernelPriority.request.validate - 24,
    /** Where the user is known. */
    rateLimitOfUser: kernelPriority.request.firewall - 1,
    /** Access rules hold for files too. */
    files: kernelPriority.request.firewall - 4,
  },
  response: {
    headers: kernelPriority.response.contentLanguage - 10,
    etag: -400,
    compression: -450,
  },
};
