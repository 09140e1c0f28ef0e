import { ForbiddenError } from '#errors';
import { type HttpRequest, HttpResponse } from '#http';
import type { SecurityToken } from '../authentication/authenticator.js';
import type { RequestSecurity } from '../state/request-security.js';
import { switchUserEvent } from '../state/security-events.js';
import type { SecurityServices } from '../state/security-services.js';
import { checkAccess } from './check-access.js';
import type { SwitchUser } from '../state/firewall.js';

/** Parameter value that ends impersonation. */
const exitValue = '_exit';

/**
 * Starts or ends impersonation if the request has the parameter. Returns a redirect to the same URL without the parameter;
 * in a stateless firewall, returns undefined and impersonates for this request only. Throws a 403 error if it is not
 * allowed.
 */
export async function switchUser(
  services: SecurityServices,
  security: RequestSecurity,
  { request, switching }: { readonly request: HttpRequest; readonly switching: SwitchUser },
): Promise<HttpResponse | undefined> {
  const wanted = request.query.get(switching.parameter);
  const current = security.token;
  if (wanted === null || wanted === '' || current === undefined) return undefined;
  if (request.headers.get('sec-fetch-site') === 'cross-site') {
    throw new ForbiddenError('Another site must not switch the user.');
  }
  const next =
    wanted === exitValue
      ? (current.impersonator ?? current)
      : await impersonate(services, security, { request, switching, wanted });
  if (next !== current) {
    security.token = next;
    await services.saveToSession(request, security.firewall, next);
    services.audit.notice('Switched user.', { from: current.user.identifier, to: next.user.identifier });
    await services.events.dispatch(switchUserEvent, { request, from: current, to: next });
  }
  return security.firewall.isStateless
    ? undefined
    : HttpResponse.redirect(withoutParameter(request, switching.parameter));
}

async function impersonate(
  services: SecurityServices,
  security: RequestSecurity,
  { request, switching, wanted }: { request: HttpRequest; switching: SwitchUser; wanted: string },
): Promise<SecurityToken> {
  const { firewall } = security;
  // A user who already impersonates another one needs the permission as the real user.
  const actor = security.token?.impersonator ?? security.token;
  const user = await firewall.provider.findUser(wanted);
  const question = { requirement: switching.attribute, subject: user, actor };
  const decision = await checkAccess(services, request, question);
  if (!decision.granted || user === undefined || user.isEnabled === false || actor === undefined) {
    services.audit.warning('Switching user refused.', {
      from: actor?.user.identifier,
      to: wanted.slice(0, 200),
    });
    // The same error for an unknown user, so that it does not reveal which users exist.
    throw new ForbiddenError('Switching to this user is not allowed.');
  }
  return {
    user,
    firewall: firewall.name,
    authenticator: 'switch-user',
    strength: actor.strength,
    impersonator: actor,
  };
}

function withoutParameter(request: HttpRequest, parameter: string): string {
  const query = new URLSearchParams(request.query);
  query.delete(parameter);
  // A path that starts with two slashes would name another host.
  const path = request.rawPath.replace(/^\/{2,}/, '/').replaceAll('\\', '%5C');
  return path + (query.size === 0 ? '' : `?${query.toString()}`);
}
