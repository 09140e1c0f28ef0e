import { say } from '../words/say.js';
import type { SecurityDecision, SecurityFirewall, SecuritySection } from '../collectors/security-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Row, Value } from './blocks/block.js';
import { findSection } from '../collectors/find-section.js';
import { formatMilliseconds, shortPath } from './blocks/format.js';
import { icons } from './blocks/icons.js';
import type { Panel } from './panel.js';

/** Who the user is, how that was found out, and what was decided about access, vote by vote. */
export const securityPanel: Panel = {
  id: 'security',
  title: 'Security',
  icon: icons.security,
  section: 'security',
  badge(record) {
    const section = sectionOf(record);
    if (section === undefined) return undefined;
    return isRefused(record) ? { count: 1, tone: 'warn', words: say('access denied') } : 'plain';
  },
  show(record) {
    const section = sectionOf(record);
    if (section === undefined) return [note(say('No firewall handled this request.'))];
    return [
      userBlock(section, record),
      ...(section.firewall === null ? [] : [firewallSection(section.firewall)]),
      decisionSection(section.decisions, refusingDecision(record, section)),
      sessionSection(section),
      ...(section.more === 0
        ? []
        : [note(say('Left out: {n} further fact.|Left out: {n} further facts.', { n: section.more }))]),
    ];
  },
};

/** Whether the request was refused: a question whose answer was only asked for is no denied access. */
function isRefused({ exception }: ProfileRecord): boolean {
  return exception?.errors.some((error) => error.class === 'AccessDeniedError') === true;
}

/** The denial that refused the request: the last one, since it ended the handling. */
function refusingDecision(record: ProfileRecord, section: SecuritySection): SecurityDecision | undefined {
  return isRefused(record) ? section.decisions.findLast((decision) => !decision.granted) : undefined;
}

function userBlock({ user, isUserLoaded }: SecuritySection, { request }: ProfileRecord): Block {
  if (user === null && isUserLoaded === false) {
    const names = request.cookies.map(([name]) => name).join(', ');
    const cookies = names === '' ? say('No cookie was sent.') : say('Cookies sent: {names}.', { names });
    return note(`${say('User not loaded: nothing asked for it (lazy firewall).')} ${cookies}`);
  }
  if (user === null) return note(say('Nobody was signed in.'));
  const rows: readonly (readonly [string, Value])[] = [
    [say('User'), mono(user.identifier)],
    [say('Roles'), mono(user.roles.join(', '))],
    [say('Authenticated by'), `${user.authenticator}, ${user.strength}`],
    ...(user.impersonator === '' ? [] : [[say('Acting for this user'), mono(user.impersonator)] as const]),
  ];
  return { kind: 'pairs', label: say('User'), pairs: rows };
}

function firewallSection(firewall: SecurityFirewall): Block {
  const nature = [
    firewall.isSecured ? 'secured' : 'open to all',
    firewall.isStateless ? 'stateless' : 'with a session',
    ...(firewall.isLazy ? ['lazy'] : []),
  ];
  return {
    kind: 'section',
    title: say('Firewall'),
    blocks: [
      {
        kind: 'pairs',
        label: say('Firewall'),
        pairs: [
          [say('Name'), mono(firewall.name)],
          [say('Kind'), nature.join(', ')],
          [say('User provider'), mono(firewall.provider)],
          [say('Entry point'), mono(firewall.entryPoint === '' ? 'none' : firewall.entryPoint)],
        ],
      },
      {
        kind: 'table',
        caption: say('Authenticators, in their order'),
        columns: [
          { label: say('Authenticator') },
          { label: say('Outcome') },
          { label: say('Time'), align: 'end' },
          { label: say('Why'), grow: true },
        ],
        rows: firewall.attempts.map((attempt) => ({
          tone: attempt.status === 'failure' ? 'warn' : 'neutral',
          cells: [
            mono(attempt.authenticator),
            attempt.status,
            { text: formatMilliseconds(attempt.durationMs), mono: true },
            [attempt.detail, ...attempt.badges].filter((text) => text !== '').join('; ') || '–',
          ],
        })),
        empty: `No authenticator ran (${firewall.authenticators.join(', ') || 'none is configured'}).`,
      },
    ],
  };
}

function decisionSection(
  decisions: readonly SecurityDecision[],
  refusing: SecurityDecision | undefined,
): Block {
  const row = (decision: SecurityDecision): Row => ({
    tone: decision === refusing ? 'warn' : 'neutral',
    cells: [
      outcomeOf(decision, refusing),
      mono(decision.attribute),
      mono(decision.subject),
      decision.strategy,
      decision.votes
        .map(({ voter, verdict, reason }) => `${voter}: ${verdict}${reason === '' ? '' : ` (${reason})`}`)
        .join('\n') || say('no voter voted'),
    ],
  });
  return {
    kind: 'section',
    title: say('Access decisions'),
    count: decisions.length,
    blocks: [
      {
        kind: 'table',
        caption: say('Access decisions, in order'),
        columns: [
          { label: say('Outcome') },
          { label: say('Attribute') },
          { label: say('Subject') },
          { label: say('Strategy'), minor: true },
          { label: say('Votes'), grow: true },
        ],
        rows: decisions.map(row),
        empty: say('No access decision.'),
      },
    ],
  };
}

function outcomeOf(decision: SecurityDecision, refusing: SecurityDecision | undefined): Value {
  if (decision.granted) return { text: say('granted'), tone: 'ok' };
  return decision === refusing ? { text: say('refused'), tone: 'warn' } : 'denied';
}

function sessionSection({ uses }: SecuritySection): Block {
  return {
    kind: 'section',
    title: say('Session values used'),
    count: uses.length,
    blocks: [
      {
        kind: 'table',
        caption: say('Session values used'),
        columns: [
          { label: say('Use') },
          { label: say('Key') },
          { label: say('Times'), align: 'end' },
          { label: say('From'), grow: true },
        ],
        rows: uses.map((use) => ({
          cells: [use.operation, mono(use.key), use.count, mono(shortCaller(use.caller))],
        })),
        empty: say('The application used no session values.'),
      },
    ],
  };
}

function sectionOf(record: ProfileRecord): SecuritySection | undefined {
  return findSection<SecuritySection>(record, 'security', ['firewall', 'user', 'decisions', 'uses']);
}

/** A caller as V8 prints it, `name (file:line:column)` or the place alone, with the file as other panels name it. */
function shortCaller(caller: string): string {
  const start = caller.endsWith(')') ? caller.lastIndexOf('(') + 1 : 0;
  return caller.slice(0, start) + shortPath(caller.slice(start).replace(/^file:\/\//, ''));
}

function mono(text: string): Value {
  return { text, mono: true };
}

function note(text: string): Block {
  return { kind: 'note', tone: 'neutral', text };
}
