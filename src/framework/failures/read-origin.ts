import { hidePathValues, type Redactor } from '#dump';
import { requestRoute, type HttpRequest } from '#http';
import { type Recording, requestRecording } from '#profiler';

/** Returns the origin of a request; empty if the request has no valid host (it is then refused). */
export function readOrigin(request: HttpRequest): string {
  return request.host === '' ? '' : request.origin;
}

/** Returns the whole URL of a request: origin and path; an absolute URL, `*` or a malformed target unchanged. */
export function readUrlAsSent(request: HttpRequest): string {
  const { target } = request.source;
  return target === '' || target.startsWith('/') ? readOrigin(request) + target : target;
}

/** Hides the values of secret route parameters (`/reset/{token}`) in a URL or path of the request. */
export function withoutPathSecrets(url: string, request: HttpRequest, redactor: Redactor): string {
  const route = request.scope.get(requestRoute);
  if (route === undefined) return url;
  const secrets = Object.entries(route.parameters).filter(([name]) => redactor.isSecretName(name));
  return hidePathValues(
    url,
    secrets.map(([, value]) => value).filter((value) => typeof value === 'string'),
  );
}

/** Returns the recording of a request and the URL of its record; undefined if no record is kept. */
export function recordOf(request: HttpRequest): { recording: Recording; link: string } | undefined {
  const recording = request.scope.get(requestRecording);
  if (recording === undefined || recording.isOnTrial) return undefined;
  return { recording, link: `${readOrigin(request)}/_profiler/${recording.token}` };
}
