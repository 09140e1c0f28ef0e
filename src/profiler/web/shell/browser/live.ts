// Follows the list by inserting new rows at the top. Pausing remembers the position, and resuming continues from there.
{
  /** Maximum rows on a followed page; beyond that, the reader has to reload. */
  const maxRows = 500;
  const gap = 'Some requests are not shown: reload the page';
  const live = document.querySelector<HTMLElement>('[data-live]');
  const button = live?.querySelector('button');
  const output = live?.querySelector('output');

  const rowIn = (html: string): HTMLTableRowElement | null =>
    new DOMParser().parseFromString(html, 'text/html').querySelector('tr');

  if (live && button && output) {
    let position = live.dataset['position'] ?? '';
    let source: EventSource | undefined;
    let added = 0;

    const pause = (why = ''): void => {
      source?.close();
      source = undefined;
      button.setAttribute('aria-pressed', 'false');
      if (why !== '') output.textContent = why;
    };

    /** Inserts a row, or replaces the same record's row. */
    const put = (body: HTMLElement, { token, html }: { token: string; html: string }): void => {
      const row = rowIn(html);
      if (!row) return;
      const known = body.querySelector<HTMLInputElement>(`[name=t][value="${CSS.escape(token)}"]`);
      const old = known?.closest('tr');
      if (!old) {
        body.prepend(row);
        added += 1;
      } else if (!old.contains(document.activeElement) && known?.checked !== true) old.replaceWith(row);
    };

    const take = ({ data, lastEventId }: MessageEvent<string>): void => {
      const body = document.querySelector<HTMLElement>('table.requests tbody');
      if (!body) return location.reload(); // an empty list has no table yet
      for (const row of JSON.parse(data) as { token: string; html: string }[]) put(body, row); // a response from this server
      position = lastEventId;
      if (added > 0) output.textContent = added === 1 ? '1 new request' : `${added} new requests`;
      if (body.children.length > maxRows) pause(gap);
    };

    const follow = (): void => {
      const url = live.dataset['live'] ?? '';
      source = new EventSource(`${url}&position=${encodeURIComponent(position)}`);
      button.setAttribute('aria-pressed', 'true');
      source.onmessage = take;
      source.addEventListener('gap', () => pause(gap));
      source.onerror = () => {
        if (source?.readyState === EventSource.CLOSED) pause('The connection was lost');
      };
    };

    button.addEventListener('click', () => (source ? pause() : follow()));
    live.hidden = false;
  }
}
