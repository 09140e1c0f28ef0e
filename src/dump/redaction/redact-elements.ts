import { redactedMark } from './redacted-mark.js';

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly from: number;
  readonly to: number;
}

const tag = /<!\[CDATA\[|<(\/?)([A-Za-z_][\w.:-]{0,100})(?=[\s/>])[^<>]{0,2000}>/g;

/**
 * Hides the content of XML elements with a secret name. In a document, which may be truncated, an element without an end
 * tag is hidden to the end of the text; in other text it is not an element (`Promise<Token>`).
 */
export function redactElements(text: string, isSecretName: (name: string) => boolean): string {
  const tags = readTags(text);
  const ends = new Map(tags.map((one, index) => [one.isEnd ? one.name : '', index]));
  const isDocument = /^\s{0,100}</.test(text);
  let out = '';
  let done = 0;
  for (let index = 0; index < tags.length; index++) {
    const { name, isEnd, to } = tags[index] ?? noTag;
    if (isEnd || !isSecretName(name)) continue;
    const last = ends.get(name) ?? -1;
    const end = last > index ? endOf(tags, index, last) : isDocument ? tags.length : -1;
    if (end === -1) continue;
    const until = tags[end]?.from ?? text.length;
    const content = text.slice(to, until);
    // A custom element of HTML: its name describes its behaviour, not its content.
    if (name.includes('-') && content.includes('<') && !content.includes('<![CDATA[')) continue;
    out +=
      text.slice(done, to) + (content.trim() === '' || content === redactedMark ? content : redactedMark);
    done = until;
    index = end;
  }
  return out + text.slice(done);
}

const noTag: Tag = { name: '', isEnd: true, from: 0, to: 0 };

/** Returns the tags in order, without self-closing ones and those in CDATA. */
function readTags(text: string): Tag[] {
  const tags: Tag[] = [];
  tag.lastIndex = 0;
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const [whole, slash, name] = found;
    if (name === undefined) {
      const end = text.indexOf(']]>', tag.lastIndex);
      if (end === -1) break;
      tag.lastIndex = end;
    } else if (!whole.endsWith('/>')) {
      tags.push({ name, isEnd: slash === '/', from: found.index, to: tag.lastIndex });
    }
  }
  return tags;
}

/** Returns the index of the matching end tag; `last` if the tags are unbalanced. */
function endOf(tags: readonly Tag[], start: number, last: number): number {
  const name = tags[start]?.name;
  let depth = 0;
  for (let index = start; index < last; index++) {
    const one = tags[index];
    if (one?.name !== name) continue;
    depth += one?.isEnd === true ? -1 : 1;
    if (depth === 0) return index;
  }
  return last;
}
