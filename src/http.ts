/**
 * One request type and one response type. Both compute lazily; `request.web` gives the web standard's request.
 * This module does not depend on sockets: `#http/node` turns bytes into messages.
 */
export { HttpRequest } from './http/request/http-request.js';
export type { Peer, PeerCertificate, RequestSource } from './http/source/request-source.js';
export { peerOf, withoutPseudoHeaders } from './http/source/message-facts.js';
export { findField } from './http/headers/same-name.js';
export { RequestHeaders } from './http/headers/request-headers.js';
export type { RequestLimits } from './http/source/request-limits.js';
export { validateRequest } from './http/request/validate-request.js';
export {
  badRequest,
  failureError,
  payloadTooLarge,
  unsupportedMediaType,
} from './http/failures/bad-request.js';
export { isClientGone } from './http/source/is-client-gone.js';
export { fromWebRequest, type PeerInit } from './http/request/from-web-request.js';
export { FormBody, type UploadedFile } from './http/body/form-body.js';
export { isJsonType, parseMediaType } from './http/headers/media-type.js';
export { negotiateType } from './http/headers/negotiate-type.js';
export { UpgradeResponse, type UpgradedConnection } from './http/response/upgrade-response.js';
export { ClientGoneResponse } from './http/response/client-gone-response.js';
export { HttpResponse } from './http/response/http-response.js';
export { assertResponse, isBodiless } from './http/response/assert-response.js';
export { beginBody } from './http/response/begin-body.js';
export { createChunkSource, stopBody } from './http/response/chunk-source.js';
export { pumpBody } from './http/response/pump-body.js';
export { sizeOfBody, isStreamedBody, type ResponseBody } from './http/response/response-body.js';
export { ResponseHeaders } from './http/response/response-headers.js';
export { parseCookies } from './http/headers/parse-cookies.js';
export { renderCookie, type CookieOptions } from './http/response/render-cookie.js';
export {
  requestActingUser,
  requestAuthentication,
  requestLocale,
  requestRoute,
  requestUser,
  type AuthenticationAttempt,
  type RequestAuthentication,
  type RequestUser,
  type RouteFacts,
} from './http/request/request-facts.js';
export { type TrustPolicy, createTrustPolicy } from './http/trust/create-trust-policy.js';
export { readForwardedFacts } from './http/trust/forwarded-facts.js';
export { isLoopbackHost, parseHost } from './http/trust/parse-host.js';
export { customerOf, isInNetworks, isLoopbackAddress, parseIpNetwork } from './http/trust/ip-address.js';
export type { SentResponse } from './http/response/sent-response.js';
