import { formatMilliseconds } from '../../model/formatting.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { type AnswerRow, orNull } from './tool.js';

const maxUrlLength = 100;

/**
 * Returns whether a request failed as the list defines it: a status of 500 or above, a response cut off or never sent, an exception despite
 * a successful response, or a finding of level `error`.
 */
export function hasFailed({ status, state, errorClass, findings }: ProfileSummary): boolean {
  if (status >= 500) return true;
  if (status >= 400) return false;
  if (findings.some(({ kind }) => kind === 'stream-closed')) return false;
  return state !== 'complete' || errorClass !== null || findings.some(({ level }) => level === 'error');
}

/** Converts a list row to one line, and to data. */
export function requestRow(row: ProfileSummary): AnswerRow {
  const { token, startedAt, status, state, method, url, durationMs, route, user, findings } = row;
  const path = shownPath(url);
  const first = findings.find(({ level }) => level !== 'info') ?? findings[0];
  const others = findings.length - 1;
  const facts = [
    token,
    new Date(startedAt).toISOString().slice(0, 19),
    statusOf(row),
    method,
    clip(path, maxUrlLength),
    formatMilliseconds(durationMs),
    ...(user === null ? [] : [`user=${user}`]),
    ...(route === null || route === `${method} ${path}` ? [] : [`route=${route}`]),
    ...(first === undefined ? [] : [`| ${first.kind}: ${first.text}${others > 0 ? ` (+${others})` : ''}`]),
  ];
  return {
    line: facts.join(' ').replace(/\s+/g, ' '),
    data: {
      token,
      time: new Date(startedAt).toISOString(),
      status,
      state,
      method,
      path: clip(path, maxUrlLength),
      durationMs: Math.round(durationMs * 100) / 100,
      route,
      user,
      findings,
    },
  };
}

export const requestFields: Readonly<Record<string, object>> = {
  token: { type: 'string' },
  time: { type: 'string' },
  status: { type: 'integer' },
  state: { type: 'string' },
  method: { type: 'string' },
  path: { type: 'string' },
  durationMs: { type: 'number' },
  route: orNull,
  user: orNull,
  findings: { type: 'array' },
};

/** Formats the status, with the state where that says more: `200 cut off`. */
export function statusOf({ status, state }: Pick<ProfileSummary, 'status' | 'state'>): string {
  if (state === 'unfinished') return status === 0 ? 'unfinished' : `${status} unfinished`;
  if (state === 'aborted') return status === 0 || status === 499 ? 'no response' : `${status} cut off`;
  return String(status);
}

export function shownPath(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, '') || '/';
}

/** Returns the route that groups a request; its method and path if the route is unknown. */
export function labelOf({ route, method, path }: Pick<ProfileSummary, 'route' | 'method' | 'path'>): string {
  if (route === null) return `${method} ${path.replaceAll(/\d+/g, '…')}`;
  return /^[A-Z]+ \//.test(route) ? route : `${method} ${route}`;
}

export function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
