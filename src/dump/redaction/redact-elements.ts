import { redactedMark } from './redacted-mark.js';

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly from: number;
  readonly to: number;
}

const tag = /<!\[CDATA\[|<(\/?)([A-Za-z_][\w.:-]{0,100})(?=[\s/>])[^<>]{0,2000}>/g;

/**
 * Text with the content of XML elements hidden that have a secret name, whatever stands in it. An element without an end is
 * hidden to the end of a document, which was cut off; elsewhere it is none (`Promise<Token>`).
 */
export function redactElements(text: string, isSecretName: (name: string) => boolean): string {
  const tags = readTags(text);
  const ends = new Map(tags.map((one, place) => [one.isEnd ? one.name : '', place]));
  const isDocument = /^\s{0,100}</.test(text);
  let out = '';
  let done = 0;
  for (let place = 0; place < tags.length; place++) {
    const { name, isEnd, to } = tags[place] ?? noTag;
    if (isEnd || !isSecretName(name)) continue;
    const last = ends.get(name) ?? -1;
    const end = last > place ? endOf(tags, place, last) : isDocument ? tags.length : -1;
    if (end === -1) continue;
    const until = tags[end]?.from ?? text.length;
    const content = text.slice(to, until);
    // A custom element of HTML: its name says what it does, not what it holds.
    if (name.includes('-') && content.includes('<') && !content.includes('<![CDATA[')) continue;
    out +=
      text.slice(done, to) + (content.trim() === '' || content === redactedMark ? content : redactedMark);
    done = until;
    place = end;
  }
  return out + text.slice(done);
}

const noTag: Tag = { name: '', isEnd: true, from: 0, to: 0 };

/** Tags in their order, without those in CDATA and those that have no content. */
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

/** The place of the tag that ends the element; the last one of its name where they do not match. */
function endOf(tags: readonly Tag[], start: number, last: number): number {
  const name = tags[start]?.name;
  let depth = 0;
  for (let place = start; place < last; place++) {
    const one = tags[place];
    if (one?.name !== name) continue;
    depth += one?.isEnd === true ? -1 : 1;
    if (depth === 0) return place;
  }
  return last;
}
