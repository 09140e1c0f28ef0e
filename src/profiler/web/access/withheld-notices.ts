import { type HttpRequest, isOrigin } from '#core/http';
import type { AccessSetting, PageAccess } from './access.js';

/** Names of the settings that let requests pass, as the guard's owner calls them. */
export type AccessSettingNames = Readonly<Record<Exclude<AccessSetting, 'proxy' | 'peer'>, string>>;

/** A refused request, described for the log. */
export interface WithheldOutput {
  readonly request: HttpRequest;
  /** Returns the path without secrets. Called only if the line is written. */
  readonly path: () => string;
  readonly access: PageAccess;
  /** Its record's token; undefined if not recorded. */
  readonly token?: string | undefined;
}

interface WithheldNoticeOptions {
  readonly names: AccessSettingNames;
  readonly write: (line: string) => void;
}

/**
 * Interval after which a reason is reported again, in milliseconds, because a page whose requests are all refused would
 * flood the log.
 */
const everyMs = 60_000;

const maxPathLength = 200;

/**
 * Logs withheld debug output: the request, the reason, and the setting that would show it; at most once a minute per
 * reason.
 */
export class WithheldNotices {
  readonly #options: WithheldNoticeOptions;
  /** When each reason was last reported. Bounded, because the guard has a fixed set of reasons. */
  readonly #reported = new Map<string, number>();

  constructor(options: WithheldNoticeOptions) {
    this.#options = options;
  }

  note({ request, path, access, token }: WithheldOutput): void {
    if (access.allowed) return;
    const { names, write } = this.#options;
    const reason = access.reason.replace(/ \([^()]*\)/, ''); // the field name comes from the client
    const now = performance.now();
    if (now - (this.#reported.get(reason) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
    this.#reported.set(reason, now);
    const record = token === undefined ? '' : ` Its record is ${token}.`;
    const asked = `${request.source.method.slice(0, 32)} ${path().slice(0, maxPathLength)}`;
    write(
      `Debug output was withheld from ${asked}: ${access.reason}. ${fixOf(request, access.setting, names)}${record}`,
    );
  }
}

function fixOf(request: HttpRequest, setting: AccessSetting | undefined, names: AccessSettingNames): string {
  const { address } = request.peer;
  switch (setting) {
    case 'peers':
      return `To show it to that client, set ${names.peers}${valueOf(address, /^[\da-f.:]+$/i)}.`;
    case 'hosts':
      return `To show it under that name, set ${names.hosts}${valueOf(hostOf(request), /^[a-z\d.-]+$/i)}.`;
    case 'origins': {
      const origin = request.headers.get('origin') ?? '';
      return isOrigin(origin)
        ? `To show it to pages of that origin, set ${names.origins}=${origin}.`
        : `Open its address in a tab, or let a page of an origin in ${names.origins} fetch it.`;
    }
    case 'trustedProxies':
      return `If that is your proxy, make it send X-Forwarded-For and set ${names.trustedProxies}${valueOf(address, /^[\da-f.:]+$/i)}.`;
    case 'proxy':
      return 'Make the proxy send X-Forwarded-For with the address of its client.';
    case 'peer':
      return 'Pass the address of the client with the request: fetch(request, { peer: { address } }).';
    case undefined:
      return 'It is shown to browsers and tools on this machine.';
  }
}

/** Returns `=VALUE`, or nothing if the value, which comes from the client, is malformed. */
function valueOf(value: string | undefined, shape: RegExp): string {
  return value !== undefined && value.length <= 100 && shape.test(value) ? `=${value}` : '';
}

function hostOf(request: HttpRequest): string | undefined {
  return (request.source.authority ?? request.headers.get('host'))?.replace(/:\d*$/, '');
}
