import { say, sayKnown } from '../words/say.js';
import type { SecurityDecision, SecurityFirewall, SecuritySection } from '../collectors/security-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block, Row, Value } from './blocks/block.js';
import { formatMilliseconds } from '../words/format.js';
import { icons } from './blocks/icons.js';
import { mono, note, section } from './blocks/make-blocks.js';
import { placeValue } from './blocks/place-value.js';
import type { Panel, PanelContext } from './panel.js';
import { createSectionPanel } from './section-panel.js';

/** Who the user is, how that was found out, and what was decided about access, vote by vote. */
export const securityPanel: Panel = createSectionPanel<SecuritySection>({
  id: 'security',
  title: 'Security',
  icon: icons.security,
  fields: ['firewall', 'user', 'decisions', 'uses'],
  badge: (_section, record) =>
    isRefused(record) ? { count: 1, tone: 'warn', words: say('access denied') } : 'plain',
  none: () => note(say('No firewall handled this request.')),
  show: (data, record, context) => [
    userBlock(data, record),
    ...(data.firewall === null ? [] : [firewallSection(data.firewall)]),
    decisionSection(data.decisions, refusingDecision(record, data)),
    sessionSection(data, context),
    ...(data.more === 0
      ? []
      : [note(say('Left out: {n} further fact.|Left out: {n} further facts.', { n: data.more }))]),
  ],
});

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
    firewall.isSecured ? say('secured') : say('open to all'),
    firewall.isStateless ? say('stateless') : say('with a session'),
    ...(firewall.isLazy ? [say('lazy')] : []),
  ];
  return section(say('Firewall'), [
    {
      kind: 'pairs',
      label: say('Firewall'),
      pairs: [
        [say('Name'), mono(firewall.name)],
        [say('Kind'), nature.join(', ')],
        [say('User provider'), mono(firewall.provider)],
        [say('Entry point'), mono(firewall.entryPoint === '' ? '–' : firewall.entryPoint)],
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
          sayKnown(attempt.status),
          formatMilliseconds(attempt.durationMs),
          [attempt.detail.replace(/\.$/, ''), ...attempt.badges].filter((text) => text !== '').join('; ') ||
            '–',
        ],
      })),
      empty: say('No authenticator ran ({names}).', { names: firewall.authenticators.join(', ') || '–' }),
    },
  ]);
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
  const table: Block = {
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
  };
  return section(say('Access decisions'), table, { count: decisions.length });
}

function outcomeOf(decision: SecurityDecision, refusing: SecurityDecision | undefined): Value {
  if (decision.granted) return { text: say('granted'), tone: 'ok' };
  return decision === refusing ? { text: say('refused'), tone: 'warn' } : 'denied';
}

function sessionSection({ uses }: SecuritySection, context: PanelContext): Block {
  const table: Block = {
    kind: 'table',
    caption: say('Session values used'),
    columns: [
      { label: say('Use') },
      { label: say('Key') },
      { label: say('Times'), align: 'end' },
      { label: say('From'), grow: true },
    ],
    rows: uses.map((use) => ({
      cells: [sayKnown(use.operation), mono(use.key), use.count, callerValue(use, context)],
    })),
    empty: say('The application used no session values.'),
  };
  return section(say('Session values used'), table, { count: uses.length });
}

/** Records of former versions have the caller alone, as V8 prints it. */
function callerValue(
  use: Omit<SecuritySection['uses'][number], 'file'> & { readonly file?: string },
  { editor }: PanelContext,
): Value {
  const { caller, file = '' } = use;
  const [name = '', place] = caller.split(' (', 2);
  return placeValue({ ...use, file, name: file === '' ? caller : place === undefined ? '' : name }, editor);
}
