import { hidePathValues, type Redactor } from '#dump';
import { requestRoute, type HttpRequest } from '#http';
import { type Recording, requestRecording } from '#profiler';

/** The request's origin; empty if it names none that can be read (it is refused then). */
export function readOrigin(request: HttpRequest): string {
  return request.host === '' ? '' : request.origin;
}

/** The request's whole URL: a path under its origin; an absolute URL, `*` or a malformed target as it was sent. */
export function readUrlAsSent(request: HttpRequest): string {
  const { target } = request.source;
  return target === '' || target.startsWith('/') ? readOrigin(request) + target : target;
}

/** A URL or path of the request without what its route takes as a secret (`/reset/{token}`). */
export function withoutPathSecrets(url: string, request: HttpRequest, redactor: Redactor): string {
  const route = request.scope.get(requestRoute);
  if (route === undefined) return url;
  const secrets = Object.entries(route.parameters).filter(([name]) => redactor.isSecretName(name));
  return hidePathValues(
    url,
    secrets.map(([, value]) => value).filter((value) => typeof value === 'string'),
  );
}

/** The record of the request and its address at the request's origin; undefined where none is kept. */
export function recordOf(request: HttpRequest): { recording: Recording; link: string } | undefined {
  const recording = request.scope.get(requestRecording);
  if (recording === undefined || recording.isOnTrial) return undefined;
  return { recording, link: `${readOrigin(request)}/_profiler/${recording.token}` };
}
