/**
 * One request type and one response type, lazy, with the web standard's own a getter away (`request.web`).
 * Knows no socket: bytes become messages behind `#http/node`.
 */
export { HttpRequest } from './http/request/http-request.js';
export type { HttpRequestOptions } from './http/request/http-request.js';
export type {
  Peer,
  PeerCertificate,
  RequestBodySource,
  RequestSource,
} from './http/source/request-source.js';
export type { RequestTarget } from './http/source/request-target.js';
export { findField } from './http/headers/same-name.js';
export { RequestHeaders } from './http/headers/request-headers.js';
export { defaultRequestLimits } from './http/source/request-limits.js';
export type { RequestLimits } from './http/source/request-limits.js';
export { validateRequest } from './http/request/validate-request.js';
export {
  badRequest,
  failureError,
  payloadTooLarge,
  unsupportedMediaType,
} from './http/failures/bad-request.js';
export { isClientGone } from './http/source/is-client-gone.js';
export { fromWebRequest } from './http/request/from-web-request.js';
export type { PeerInit } from './http/request/from-web-request.js';
export { FormBody } from './http/body/form-body.js';
export type { FormRecord, FormValue, UploadedFile } from './http/body/form-body.js';
export { isJsonType, parseMediaType, type MediaType } from './http/headers/media-type.js';
export { negotiateType } from './http/headers/negotiate-type.js';
export { UpgradeResponse } from './http/response/upgrade-response.js';
export type { UpgradedConnection } from './http/response/upgrade-response.js';
export { ClientGoneResponse } from './http/response/client-gone-response.js';
export { HttpResponse } from './http/response/http-response.js';
export type { HttpResponseInit } from './http/response/http-response.js';
export { assertResponse, isBodiless } from './http/response/assert-response.js';
export { beginBody } from './http/response/begin-body.js';
export { createChunkSource, stopBody } from './http/response/chunk-source.js';
export { sizeOfBody, isStreamedBody, type ResponseBody } from './http/response/response-body.js';
export { ResponseHeaders } from './http/response/response-headers.js';
export { parseCookies } from './http/headers/parse-cookies.js';
export { renderCookie } from './http/response/render-cookie.js';
export type { CookieOptions } from './http/response/render-cookie.js';
export { requestActingUser, requestAuthentication, requestLocale } from './http/request/request-facts.js';
export { requestRoute, requestUser } from './http/request/request-facts.js';
export type {
  AuthenticationAttempt,
  RequestAuthentication,
  RequestUser,
  RouteFacts,
} from './http/request/request-facts.js';
export type { TrustPolicy, TrustPolicyOptions } from './http/trust/create-trust-policy.js';
export { createTrustPolicy } from './http/trust/create-trust-policy.js';
export { readForwardedFacts } from './http/trust/forwarded-facts.js';
export type { ForwardedFacts } from './http/trust/forwarded-facts.js';
export { isLoopbackHost, parseHost } from './http/trust/parse-host.js';
export type { HostPort } from './http/trust/parse-host.js';
export { customerOf, isInNetworks, isLoopbackAddress, parseIpNetwork } from './http/trust/ip-address.js';
export type { SentResponse } from './http/response/sent-response.js';
