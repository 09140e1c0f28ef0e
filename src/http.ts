/**
 * One request type and one response type, lazy, with the web standard's own a getter away (`request.web`).
 * Knows no socket: bytes become messages behind `#http/node`.
 */
export { HttpRequest } from './http/http-request.js';
export type { HttpRequestOptions } from './http/http-request.js';
export type { Peer, PeerCertificate, RequestBodySource, RequestSource } from './http/request-source.js';
export type { RequestTarget } from './http/request-target.js';
export { findField } from './http/find-field.js';
export { RequestHeaders } from './http/request-headers.js';
export { defaultRequestLimits } from './http/request-limits.js';
export type { RequestLimits } from './http/request-limits.js';
export { validateRequest } from './http/validate-request.js';
export { failureError } from './http/bad-request.js';
export { isClientGone } from './http/is-client-gone.js';
export { fromWebRequest } from './http/from-web-request.js';
export type { PeerInit } from './http/from-web-request.js';
export { FormBody } from './http/form-body.js';
export type { FormRecord, FormValue } from './http/form-body.js';
export type { UploadedFile } from './http/uploaded-file.js';
export { isJsonType, parseMediaType } from './http/media-type.js';
export type { MediaType } from './http/media-type.js';
export { negotiateType } from './http/negotiate-type.js';
export { HttpResponse } from './http/response/http-response.js';
export type { HttpResponseInit } from './http/response/http-response.js';
export type { ResponseBody } from './http/response/response-body.js';
export { assertResponse, isBodiless } from './http/response/assert-response.js';
export { beginBody } from './http/response/begin-body.js';
export { stopBody } from './http/response/chunk-source.js';
export { sizeOfBody } from './http/response/size-of-body.js';
export { isStreamedBody } from './http/response/response-body.js';
export { ResponseHeaders } from './http/response/response-headers.js';
export { parseCookies } from './http/parse-cookies.js';
export { renderCookie } from './http/response/render-cookie.js';
export type { CookieOptions } from './http/response/render-cookie.js';
export { requestAuthentication, requestLocale, requestRoute, requestUser } from './http/request-facts.js';
export type {
  AuthenticationAttempt,
  RequestAuthentication,
  RequestUser,
  RouteFacts,
} from './http/request-facts.js';
export type { TrustPolicy } from './http/trust-policy.js';
export { createTrustPolicy } from './http/create-trust-policy.js';
export type { TrustPolicyOptions } from './http/create-trust-policy.js';
export { readForwardedFacts } from './http/forwarded-facts.js';
export type { ForwardedFacts } from './http/forwarded-facts.js';
export { isLoopbackHost, parseHost } from './http/parse-host.js';
export type { HostPort } from './http/parse-host.js';
export { isLoopbackAddress } from './http/ip-address.js';
export type { SentResponse } from './http/response/sent-response.js';
