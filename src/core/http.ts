/** One request type and one response type, both lazy, without sockets: `#core/http/node` turns bytes into messages. */
export { HttpRequest, safeMediaType } from './http/request/http-request.js';
export { peerOf, withoutPseudoHeaders, isClientGone, type Peer } from './http/source/request-source.js';
export type { RequestSource, RequestLimits } from './http/source/request-source.js';
export { findField, RequestHeaders } from './http/headers/request-headers.js';
export { validateRequest } from './http/request/validate-request.js';
export { badRequest, failureError, unsupportedMediaType } from './http/failures/error-codes.js';
export { fromWebRequest, type PeerInit } from './http/request/from-web-request.js';
export { readParts } from './http/body/read-parts.js';
export { FormBody, lastOfRepeated, type FormRecord, type UploadedFile } from './http/body/form-body.js';
export { hasDirective, isJsonType, parseMediaType } from './http/headers/parameters.js';
export {
  UpgradeResponse,
  ClientGoneResponse,
  HttpResponse,
  locationOf,
} from './http/response/http-response.js';
export type { UpgradedConnection, SentResponse } from './http/response/http-response.js';
export { mayLackValues, serialiseJson, withoutLostValues } from './http/response/serialise-json.js';
export {
  assertResponse,
  isAsyncIterable,
  isBodiless,
  beginBody,
  createChunkSource,
} from './http/response/response-body.js';
export { namesCoding, removeFalseCoding } from './http/response/false-coding.js';
export { stopBody, pumpBody, sizeOfBody, isStreamedBody } from './http/response/response-body.js';
export type { ResponseBody } from './http/response/response-body.js';
export { isConnectionField, isWebResponse } from './http/response/web-fields.js';
export { ResponseHeaders } from './http/response/response-headers.js';
export { parseCookies, renderCookie, type CookieOptions } from './http/headers/cookies.js';
export { requestActingUser, requestAuthentication, requestLocale } from './http/request/request-facts.js';
export {
  lostInJson,
  requestDebug,
  requestRefusal,
  requestRoute,
  requestUser,
  type AuthenticationAttempt,
} from './http/request/request-facts.js';
export { describeForeignOrigin, suspectsProxy } from './http/trust/foreign-origin.js';
export type { RequestAuthentication, RequestUser, RouteFacts } from './http/request/request-facts.js';
export { isProxyField } from './http/trust/proxy-fields.js';
export { createTrustPolicy, readForwardedFacts, type TrustPolicy } from './http/trust/trust-policy.js';
export {
  isLoopbackHost,
  parseHost,
  customerOf,
  widerNetworksOf,
  isInNetworks,
} from './http/trust/ip-address.js';
export { isLoopbackAddress, isOrigin, parseIpNetwork } from './http/trust/ip-address.js';
export { cookieSchema } from './http/headers/cookies.js';
