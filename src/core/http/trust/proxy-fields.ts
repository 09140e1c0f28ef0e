/** Names of fields that proxies, load balancers and content delivery networks add to forwarded requests. */
const forwardingFields: readonly RegExp[] = [
  // Standards and conventions: RFC 7239, RFC 9110, RFC 8586, and the fields that nearly all proxies share.
  /^(?:forwarded|via|cdn-loop|x-forward(?:ed)?(?:-.*)?|x-original(?:-.*|ly-.*)|x-rewrite-url|x-proxy-.*|x-proxyuser-.*)$/,
  /^(?:(?:x-)?(?:real|client|true-client|cluster-client|remote|originating|connecting)-(?:ip|addr|port|host|user)|x-host)$/,
  /^(?:x-(?:url-)?scheme|front-end-https|(?:x-)?(?:proxy|wl-proxy)-client-ip|x-request-start|x-queue-start)$/,
  /^(?:x-)?(?:ssl|client)-(?:cert|client|verify|cipher|protocol|s-dn|i-dn)(?:-.*)?$/,
  // Proxies.
  /^x-(?:nginx|envoy|varnish|haproxy|traefik|kong|caddy|squid|middleton)(?:-.*)?$|^x-lookback-forwarded$/,
  /^(?:x-)?(?:auth-request|pomerium|authentik|authelia|consumer)-.*$/,
  // Clouds, networks and tunnels.
  /^(?:cf|cloudflare|fastly|fly|cloudfront|akamai|ali|incap|do-connecting|tailscale|ngrok-trace|wl)-.*$/,
  /^x-(?:amzn|amz-cf|azure|arr|appservice|appengine|cloud-trace|goog-iap|goog-authenticated|vercel|now|nf)-.*$/,
  /^x-(?:akamai|sucuri|edge|cdn|heroku|railway|render|gateway|apigateway|ms-client-principal|site-deployment)(?:-.*)?$/,
  /^(?:disguised-host|was-default-hostname|x-waws-unencoded-url)$/,
];

/** Whether a header is added by proxies. */
export function isProxyField(name: string): boolean {
  const lower = name.slice(0, 60).toLowerCase();
  return forwardingFields.some((field) => field.test(lower));
}
