// The toolbar of a page. It is in a shadow root, creates no markup from text, loads only records of its own origin, and uses
// a constructed style sheet, which needs no permission in the page's content security policy.
{
  interface Part {
    readonly category: string;
    readonly ms: number;
    readonly words: string;
    readonly time: string;
  }
  interface Card {
    readonly number: string;
    readonly note?: string;
    readonly sentence?: { readonly text: string; readonly href: string };
    readonly parts?: readonly Part[];
    readonly facts?: readonly (readonly [name: string, value: string])[];
    readonly links: readonly { readonly words: string; readonly href: string }[];
  }
  interface Entry {
    readonly id: string;
    readonly href: string;
    readonly words: string;
    readonly tone?: string;
    readonly chip?: { readonly words: string; readonly tone: string };
    readonly parts?: readonly Part[];
    readonly isMinor?: true;
    readonly isCode?: true;
    readonly card: Card;
  }
  /** The answer of `GET /_profiler/{token}/toolbar`. */
  interface Content {
    readonly state: string;
    readonly list: string;
    readonly entries: readonly Entry[];
  }
  interface Call extends FollowedRequest {
    readonly token: string;
    readonly href: string;
  }

  const closedKey = 'lookback.toolbar';
  const maxCalls = 100;
  /** Milliseconds until a card closes, so that the pointer may cross what lies between. */
  const closeDelay = 200;

  const script = document.currentScript;
  const place = script instanceof HTMLScriptElement ? (script.dataset['lookback'] ?? '') : '';
  const slash = place.lastIndexOf('/');
  const prefix = place.slice(0, slash);
  const ask = window.fetch.bind(window);
  const calls: Call[] = [];

  const stored = (key: string): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // a browser without storage
    }
  };

  const store = (key: string, value: string): void => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // no storage: the setting is not remembered
    }
  };

  const token = timedToken(performance.getEntriesByType('navigation')[0]) ?? place.slice(slash + 1);

  type Child = Node | string | null | undefined;
  const fill = <Made extends Element>(
    element: Made,
    fields: Readonly<Record<string, string>>,
    children: readonly Child[],
  ): Made => {
    for (const [field, value] of Object.entries(fields)) element.setAttribute(field, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const make = (
    name: string,
    fields: Readonly<Record<string, string>>,
    ...children: readonly Child[]
  ): HTMLElement => fill(document.createElement(name), fields, children);
  const draw = (
    name: string,
    fields: Readonly<Record<string, string>>,
    ...children: readonly Child[]
  ): SVGElement =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', name) as SVGElement, fields, children); // of this namespace

  const drawMark = (): SVGElement =>
    draw(
      'svg',
      { class: 'mark', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
      draw('path', { class: 'app', d: 'M8 1h5L9 5H4z' }),
      draw('path', { class: 'database', d: 'M1 8l2-2h12v4H3z' }),
      draw('path', { class: 'http', d: 'M4 11h5l4 4H8z' }),
    );

  /** The parts one after another; their widths add up to the whole. */
  const drawBar = (parts: readonly Part[]): SVGElement => {
    const whole = parts.reduce((sum, { ms }) => sum + ms, 0);
    let x = 0;
    const shapes = parts.map(({ category, ms }) => {
      const width = (100 * ms) / whole;
      const shape = draw('rect', { class: category, x: `${x}%`, width: `${width}%`, height: '16' });
      x += width;
      return shape;
    });
    const label = parts.map(({ words, time }) => `${words} ${time}`).join(', ');
    return draw('svg', { class: 'bar', role: 'img', 'aria-label': label }, ...shapes);
  };

  const toneOf = (status: number): string => {
    if (status >= 500 || status === 0) return 'error';
    return status >= 400 ? 'warn' : '';
  };

  const formatTime = (ms: number): string =>
    ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(toolbarStyles);
  const host = make('lookback-toolbar', {});
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  const theme = stored('lookback.theme');
  if (theme !== null) host.dataset['theme'] = theme;

  const entries = make('ul', { class: 'entries' });
  const count = make('button', { type: 'button', 'aria-expanded': 'false' });
  const list = make('div', {
    class: 'sheet',
    role: 'region',
    'aria-label': 'Requests of this page',
    tabindex: '0',
  });
  const callsCard = make('div', { class: 'card calls' }, list);
  const fetches = make('div', {}, count, callsCard);
  const close = make(
    'button',
    { type: 'button', class: 'close', 'aria-label': 'Hide the toolbar', title: 'Close' },
    '×',
  );
  const strip = make(
    'section',
    { class: 'strip', 'aria-label': 'lookback', dir: 'ltr' },
    entries,
    fetches,
    close,
  );
  const tab = make(
    'button',
    { type: 'button', class: 'tab', 'aria-label': 'Show the toolbar', title: 'lookback' },
    drawMark(),
  );
  root.append(strip, tab);

  /** The entry whose card is open, and how to close it. */
  let opened: { readonly owner: HTMLElement; readonly hide: () => void } | undefined;
  let closing: ReturnType<typeof setTimeout> | undefined;

  const hideCard = (): void => {
    clearTimeout(closing);
    opened?.hide();
    opened = undefined;
  };

  const showCard = (owner: HTMLElement, card: HTMLElement): void => {
    clearTimeout(closing);
    if (opened?.owner === owner) return;
    hideCard();
    card.hidden = false;
    const { left } = owner.getBoundingClientRect();
    if (card !== callsCard)
      card.style.left = `${Math.max(0, Math.min(left, innerWidth - card.offsetWidth))}px`;
    owner.classList.add('is-open');
    const hide = (): void => {
      card.hidden = true;
      owner.classList.remove('is-open');
      if (owner === fetches) count.setAttribute('aria-expanded', 'false');
    };
    opened = { owner, hide };
  };

  /** Opens the card of an entry on hover and focus, and where nothing can hover, on the first touch. */
  const followPointer = (owner: HTMLElement, card: HTMLElement): void => {
    let touched = false;
    owner.addEventListener('pointerenter', ({ pointerType }) => {
      if (pointerType === 'mouse') showCard(owner, card);
    });
    owner.addEventListener('pointerleave', () => {
      clearTimeout(closing);
      if (opened?.owner === owner && !owner.matches(':focus-within'))
        closing = setTimeout(hideCard, closeDelay);
    });
    owner.addEventListener('pointerdown', ({ pointerType }) => {
      touched = pointerType !== 'mouse' && opened?.owner !== owner;
    });
    owner.addEventListener('focusin', () => showCard(owner, card));
    owner.addEventListener('focusout', ({ relatedTarget }) => {
      if (opened?.owner === owner && !(relatedTarget instanceof Node && owner.contains(relatedTarget)))
        hideCard();
    });
    owner.addEventListener('click', (event) => {
      if (touched) event.preventDefault();
      touched = false;
      showCard(owner, card);
    });
  };

  const makeCard = ({ number, note, sentence, parts = [], facts = [], links }: Card): HTMLElement => {
    const legend = parts.map(({ category, words, time }) =>
      make(
        'li',
        {},
        draw(
          'svg',
          { 'aria-hidden': 'true' },
          draw('rect', { class: category, width: '10', height: '10', rx: '2' }),
        ),
        words,
        make('b', {}, time),
      ),
    );
    const size = /^\d/.test(number) && number.length <= 16 ? 'number' : 'number small';
    const content = make(
      'div',
      { class: 'sheet' },
      make('span', { class: size }, number),
      ' ',
      note === undefined ? null : make('span', { class: 'muted note' }, note),
      sentence === undefined
        ? null
        : make('p', { class: 'sentence' }, make('a', { href: sentence.href }, sentence.text)),
      parts.length === 0 ? null : drawBar(parts),
      legend.length === 0 ? null : make('ul', { class: 'legend' }, ...legend),
      facts.length === 0
        ? null
        : make(
            'dl',
            { class: 'facts' },
            ...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
          ),
      make('div', { class: 'links' }, ...links.map(({ words, href }) => make('a', { href }, words))),
    );
    const card = make('div', { class: 'card', role: 'group', 'aria-label': number }, content);
    card.hidden = true;
    return card;
  };

  const makeEntry = (entry: Entry): HTMLElement => {
    const { id, href, words, tone = '', chip, parts, isCode, isMinor } = entry;
    const isMain = id === 'status' || id === 'time';
    const link = make(
      'a',
      { href, class: `entry ${tone}`, 'data-entry': id },
      words === '' ? null : make(isMain ? 'b' : 'span', isCode === true ? { class: 'code' } : {}, words),
      parts === undefined || parts.length === 0 ? null : drawBar(parts),
      chip === undefined ? null : make('span', { class: `chip ${chip.tone}` }, chip.words),
    );
    const card = makeCard(entry.card);
    const item = make('li', isMinor === true ? { class: 'minor' } : {}, link, card);
    followPointer(item, card);
    return item;
  };

  const markEntry = (href: string): HTMLElement =>
    make(
      'li',
      {},
      make(
        'a',
        { href, class: 'entry', 'aria-label': 'lookback: all requests', title: 'lookback' },
        drawMark(),
      ),
    );

  const showCalls = (): void => {
    const failed = calls.filter(({ status }) => status >= 400 || status === 0).length;
    fetches.hidden = calls.length === 0;
    count.replaceChildren(calls.length === 1 ? '1 fetch' : `${calls.length} fetches`);
    if (failed > 0) count.append(' ', make('span', { class: 'chip error' }, `${failed} failed`));
    const rows = calls.map(({ href, status, method, url, ms }) =>
      make(
        'a',
        { href },
        make('b', { class: toneOf(status) }, String(status)),
        make('span', {}, method),
        make('span', { title: url }, url),
        make('span', { class: 'muted' }, formatTime(ms)),
      ),
    );
    list.replaceChildren(...rows.toReversed());
  };

  const fold = ({ isClosed }: { isClosed: boolean }): void => {
    strip.hidden = isClosed;
    tab.hidden = !isClosed;
    hideCard();
  };

  const note = (
    call: Omit<Call, 'href' | 'token'>,
    named: { token: string | null; link: string | null },
  ): void => {
    if (
      named.token === null ||
      call.url.startsWith(`${prefix}/`) ||
      calls.some(({ token: known }) => known === named.token)
    )
      return;
    const link = named.link ?? '';
    const href = /^https?:\/\//.test(link) ? link : `${prefix}/${encodeURIComponent(named.token)}`;
    calls.push({ ...call, token: named.token, href });
    if (calls.length > maxCalls) calls.shift();
    showCalls();
  };

  const show = (content: Content): void => {
    host.dataset['token'] = token;
    entries.replaceChildren(markEntry(content.list), ...content.entries.map(makeEntry));
  };

  const load = async (tries: number): Promise<void> => {
    const answer = await ask(`${prefix}/${token}/toolbar`, { cache: 'no-store' });
    const content = answer.ok ? ((await answer.json()) as Content) : undefined; // a response of showToolbar
    // The record is completed after the last byte of the page, which may be later than this request.
    if (tries > 0 && (content === undefined || content.state === 'unfinished')) {
      setTimeout(() => void load(tries - 1).catch(fail), 150);
      return;
    }
    if (content === undefined) fail();
    else show(content);
  };

  const fail = (): void => {
    const words = make('span', { class: 'muted' }, 'The record could not be read');
    const link = make(
      'a',
      { href: `${prefix}/${token}`, class: 'entry' },
      words,
      make('span', { class: 'code' }, token),
    );
    entries.replaceChildren(markEntry(`${prefix}/`), make('li', {}, link));
  };

  callsCard.hidden = true;
  followPointer(fetches, callsCard);
  count.addEventListener('click', () => count.setAttribute('aria-expanded', 'true'));
  close.addEventListener('click', () => {
    store(closedKey, 'closed');
    fold({ isClosed: true });
    tab.focus();
  });
  tab.addEventListener('click', () => {
    store(closedKey, 'open');
    fold({ isClosed: false });
    close.focus();
  });
  root.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Escape' || opened === undefined) return;
    const { owner } = opened;
    const first = owner.querySelector<HTMLElement>('a, button');
    if (owner.matches(':focus-within')) first?.focus();
    hideCard();
  });

  if (window === window.top && document.querySelector('lookback-toolbar') === null) {
    showCalls();
    fold({ isClosed: stored(closedKey) === 'closed' });
    followRequests(note);
    document.documentElement.append(host);
    void load(10).catch(fail);
  }
}
