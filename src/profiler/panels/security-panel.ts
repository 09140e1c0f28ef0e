import type { SecurityDecision, SecurityFirewall, SecuritySection } from '../collectors/security-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Row, Value } from './blocks/block.js';
import { findSection } from './find-section.js';
import { formatMilliseconds, plural, shortPath } from './blocks/format.js';
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
    return isRefused(record) ? { count: 1, tone: 'warn', words: 'access denied' } : 'plain';
  },
  show(record) {
    const section = sectionOf(record);
    if (section === undefined) return [note('No firewall handled this request.')];
    return [
      userBlock(section, record),
      ...(section.firewall === null ? [] : [firewallSection(section.firewall)]),
      decisionSection(section.decisions, refusingDecision(record, section)),
      sessionSection(section),
      ...(section.more === 0 ? [] : [note(`Left out: ${plural(section.more, 'further fact')}.`)]),
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
    const cookies = names === '' ? 'No cookie was sent.' : `Cookies sent: ${names}.`;
    return note(`User not loaded: nothing asked for it (lazy firewall). ${cookies}`);
  }
  if (user === null) return note('Nobody was signed in.');
  const rows: readonly (readonly [string, Value])[] = [
    ['User', mono(user.identifier)],
    ['Roles', mono(user.roles.join(', '))],
    ['Authenticated by', `${user.authenticator}, ${user.strength}`],
    ...(user.impersonator === '' ? [] : [['Acting for this user', mono(user.impersonator)] as const]),
  ];
  return { kind: 'pairs', label: 'User', pairs: rows, empty: '' };
}

function firewallSection(firewall: SecurityFirewall): Block {
  const nature = [
    firewall.isSecured ? 'secured' : 'open to all',
    firewall.isStateless ? 'stateless' : 'with a session',
    ...(firewall.isLazy ? ['lazy'] : []),
  ];
  return {
    kind: 'section',
    title: 'Firewall',
    blocks: [
      {
        kind: 'pairs',
        label: 'Firewall',
        empty: '',
        pairs: [
          ['Name', mono(firewall.name)],
          ['Kind', nature.join(', ')],
          ['User provider', mono(firewall.provider)],
          ['Entry point', mono(firewall.entryPoint === '' ? 'none' : firewall.entryPoint)],
        ],
      },
      {
        kind: 'table',
        caption: 'Authenticators, in their order',
        columns: [
          { label: 'Authenticator' },
          { label: 'Outcome' },
          { label: 'Time', align: 'end' },
          { label: 'Why', grow: true },
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
        .join('\n') || 'no voter voted',
    ],
  });
  return {
    kind: 'section',
    title: 'Access decisions',
    count: decisions.length,
    blocks: [
      {
        kind: 'table',
        caption: 'Access decisions, in order',
        columns: [
          { label: 'Outcome' },
          { label: 'Attribute' },
          { label: 'Subject' },
          { label: 'Strategy', minor: true },
          { label: 'Votes', grow: true },
        ],
        rows: decisions.map(row),
        empty: 'No access decision.',
      },
    ],
  };
}

function outcomeOf(decision: SecurityDecision, refusing: SecurityDecision | undefined): Value {
  if (decision.granted) return { text: 'granted', tone: 'ok' };
  return decision === refusing ? { text: 'refused', tone: 'warn' } : 'denied';
}

function sessionSection({ uses }: SecuritySection): Block {
  return {
    kind: 'section',
    title: 'Session values used',
    count: uses.length,
    blocks: [
      {
        kind: 'table',
        caption: 'Session values used',
        columns: [
          { label: 'Use' },
          { label: 'Key' },
          { label: 'Times', align: 'end' },
          { label: 'From', grow: true },
        ],
        rows: uses.map((use) => ({
          cells: [use.operation, mono(use.key), use.count, mono(shortCaller(use.caller))],
        })),
        empty: 'The application used no session values.',
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
