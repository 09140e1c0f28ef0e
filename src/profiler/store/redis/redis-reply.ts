/** A reply of Redis: bytes, text, a number, a list of replies, or null. */
export type Reply = Buffer | string | number | null | readonly Reply[];

/** Renders keys as runs (the end of each is exclusive), in the order of the records: `12:15,-4:-3`. */
export function writeRuns(keys: readonly number[]): string {
  const runs: string[] = [];
  let start = 0;
  for (let at = 1; at <= keys.length; at++) {
    if (keys[at] === (keys[at - 1] ?? 0) + 1) continue;
    runs.push(`${keys[start]}:${(keys[at - 1] ?? 0) + 1}`);
    start = at;
  }
  return runs.join(',');
}

export function readRuns(text: string): number[] {
  return text.split(',').flatMap((run) => {
    const [start = 0, stop = 0] = run.split(':').map(Number);
    return Array.from({ length: stop - start }, (_, at) => start + at);
  });
}

export function replyList(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? reply : [];
}

export function replyText(reply: Reply | undefined): string {
  return reply instanceof Buffer ? reply.toString() : String(reply ?? '');
}

/** Converts a flat list of alternating names and values to a map. */
export function replyFields(reply: Reply | undefined): ReadonlyMap<string, Reply> {
  const flat = replyList(reply);
  const fields = new Map<string, Reply>();
  for (let at = 0; at + 1 < flat.length; at += 2) fields.set(replyText(flat[at]), flat[at + 1] ?? null);
  return fields;
}

export function replyNumber(fields: ReadonlyMap<string, Reply>, name: string): number {
  return Number(replyText(fields.get(name)));
}
