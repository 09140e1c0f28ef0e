import type { HttpRequest } from 'lookback';
import type { Security } from 'lookback/security';
import type { TextKey } from './languages.js';

const key = 'notice';

/** A message to show once, in the language of the page that shows it. */
export type Notice = Extract<
  TextKey,
  'saved' | 'reverted' | 'roleChanged' | 'commented' | 'commentRemoved' | 'textBack'
>;

/** Keeps a notice for the next page, because nothing else would show after a redirect that the action succeeded. */
export async function leaveNotice(security: Security, request: HttpRequest, notice: Notice): Promise<void> {
  (await security.session(request)).set(key, notice);
}

/** Returns the notice for this page. If the request has no session, none is created. */
export async function takeNotice(security: Security, request: HttpRequest): Promise<Notice | undefined> {
  const view = await security.viewSession(request);
  if (view?.has(key) !== true) return undefined;
  const session = await security.session(request);
  const notice = session.get<Notice>(key);
  session.delete(key);
  return notice;
}
