import type {
  SecurityDecision,
  SecurityFirewall,
  SecuritySection,
  SecurityUser,
} from '../collectors/security-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Row, Value } from './block.js';
import { findSection } from './find-section.js';
import { formatMilliseconds, plural } from './format.js';
import { icons } from './icons.js';
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
    const denied = section.decisions.filter((decision) => !decision.granted).length;
    if (denied === 0) return 'plain';
    return { count: denied, tone: 'warn', words: plural(denied, 'denied access', 'denied accesses') };
  },
  show(record) {
    const section = sectionOf(record);
    if (section === undefined) return [note('No firewall told anything about this request.')];
    return [
      userBlock(section.user),
      ...(section.firewall === null ? [] : [firewallSection(section.firewall)]),
      decisionSection(section.decisions),
      sessionSection(section),
      ...(section.more === 0 ? [] : [note(`Left out: ${plural(section.more, 'further fact')}.`)]),
    ];
  },
};

function userBlock(user: SecurityUser | null): Block {
  if (user === null) return note('Nobody was signed in, as far as the request had to know.');
  const rows: readonly (readonly [string, Value])[] = [
    ['User', mono(user.identifier)],
    ['Roles', mono(user.roles.join(', '))],
    ['Known by', `${user.authenticator}, ${user.strength}`],
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
          ['Users from', mono(firewall.provider)],
          ['Strangers are sent to', mono(firewall.entryPoint === '' ? 'nowhere' : firewall.entryPoint)],
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
        empty: `No authenticator was asked (${firewall.authenticators.join(', ') || 'there is none'}).`,
      },
    ],
  };
}

function decisionSection(decisions: readonly SecurityDecision[]): Block {
  const row = (decision: SecurityDecision): Row => ({
    tone: decision.granted ? 'neutral' : 'warn',
    cells: [
      decision.granted ? { text: 'granted', tone: 'ok' } : { text: 'denied', tone: 'warn' },
      mono(decision.attribute),
      mono(decision.subject),
      decision.strategy,
      decision.votes
        .map(({ voter, verdict, reason }) => `${voter}: ${verdict}${reason === '' ? '' : ` (${reason})`}`)
        .join('\n') || 'nobody voted',
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
          { label: 'Asked for' },
          { label: 'On' },
          { label: 'Strategy', minor: true },
          { label: 'Votes', grow: true },
        ],
        rows: decisions.map(row),
        empty: 'Nothing had to be decided.',
      },
    ],
  };
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
          cells: [use.operation, mono(use.key), use.count, mono(use.caller)],
        })),
        empty: 'The application did not use the session.',
      },
    ],
  };
}

function sectionOf(record: ProfileRecord): SecuritySection | undefined {
  return findSection<SecuritySection>(record, 'security', ['firewall', 'user', 'decisions', 'uses']);
}

function mono(text: string): Value {
  return { text, mono: true };
}

function note(text: string): Block {
  return { kind: 'note', tone: 'neutral', text };
}
