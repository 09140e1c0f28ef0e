// The load: 512 different visitors, or one repeated request. Everything is seeded, so that two runs send the same bytes.

export const visitorCount = 512;
/** Pages that each visitor requests in turn: 4,096 different requests in total. */
const pagesEach = 8;

const accept =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8';
const platforms = [
  ['X11; Linux x86_64', 'Linux'],
  ['Windows NT 10.0; Win64; x64', 'Windows'],
  ['Macintosh; Intel Mac OS X 10_15_7', 'macOS'],
  ['X11; CrOS x86_64 14541.0.0', 'Chrome OS'],
];
const languages = [
  'en-GB,en',
  'de-DE,de',
  'fr-FR,fr',
  'es-ES,es',
  'nl-NL,nl',
  'pt-BR,pt',
  'pl-PL,pl',
  'it-IT,it',
];
const names = [
  'ada',
  'grace',
  'edsger',
  'barbara',
  'donald',
  'frances',
  'niklaus',
  'radia',
  'alan',
  'margaret',
];
const topics = ['news', 'sport', 'weather', 'science', 'music', 'travel', 'food', 'books', 'film', 'games'];

/**
 * The bytes of every request, in sending order: visitors take turns. `path` may contain `{name}`, which is replaced by the visitor's name.
 * `cookies` are sent with the visitor's other cookies, one for each visitor in turn.
 */
export function visitorRequests({ path, port, cookies = [], isIdentical = false }) {
  if (isIdentical)
    return [Buffer.from(oneRequest(visitorOf(1), 0, { path, port, cookie: cookies[0] }), 'latin1')];
  const visitors = Array.from({ length: visitorCount }, (_, index) => visitorOf(index + 1));
  const requests = [];
  for (let page = 0; page < pagesEach; page++) {
    for (const [index, visitor] of visitors.entries()) {
      const cookie = cookies[index % Math.max(1, cookies.length)];
      requests.push(Buffer.from(oneRequest(visitor, page, { path, port, cookie }), 'latin1'));
    }
  }
  return requests;
}

/** The header fields of visitor `number`'s request as a flat list of names and values, for requests without a socket. */
export function visitorSource(number, { path = '/hello/{name}' } = {}) {
  const visitor = visitorOf((number % visitorCount) + 1);
  const page = Math.floor(number / visitorCount);
  const [head, ...lines] = oneRequest(visitor, page, { path, port: 8000 }).trimEnd().split('\r\n');
  const rawHeaders = lines.flatMap((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  return { method: 'GET', target: head.split(' ')[1], httpVersion: '1.1', rawHeaders, body: undefined };
}

function visitorOf(seed) {
  const random = randomOf(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const [system, platform] = pick(platforms);
  const version = 120 + Math.floor(random() * 30);
  return {
    name: `${pick(names)}-${seed}`,
    random,
    platform,
    brands: `"Chromium";v="${version}", "Not_A Brand";v="${8 + Math.floor(random() * 90)}"`,
    agent: `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.${Math.floor(random() * 9000)}.${Math.floor(random() * 200)} Safari/537.36`,
    language: `${pick(languages)};q=0.${5 + Math.floor(random() * 5)},en;q=0.${1 + Math.floor(random() * 4)}`,
    cookie: `theme=${pick(['dark', 'light'])}; visits=${Math.floor(random() * 500)}; _ga=GA1.1.${Math.floor(random() * 1e10)}.17${Math.floor(random() * 1e8)}`,
  };
}

/** What a browser behind a proxy sends when a person opens a page: 17 header fields. */
function oneRequest(visitor, page, { path, port, cookie }) {
  const { random } = visitor;
  const topic = topics[Math.floor(random() * topics.length)];
  const query = `?topic=${topic}&page=${page + 1}&ref=${hex(random, 6)}`;
  return [
    `GET ${path.replace('{name}', visitor.name)}${query} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: keep-alive',
    `sec-ch-ua: ${visitor.brands}`,
    'sec-ch-ua-mobile: ?0',
    `sec-ch-ua-platform: "${visitor.platform}"`,
    'Upgrade-Insecure-Requests: 1',
    `User-Agent: ${visitor.agent}`,
    `Accept: ${accept}`,
    'Sec-Fetch-Site: same-origin',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-User: ?1',
    'Sec-Fetch-Dest: document',
    'Accept-Encoding: gzip, deflate, br, zstd',
    `Accept-Language: ${visitor.language}`,
    `Cookie: ${visitor.cookie}${cookie === undefined ? '' : `; ${cookie}`}`,
    `Referer: http://127.0.0.1:${port}/${topic}/${hex(random, 8)}`,
    `X-Request-Id: ${hex(random, 16)}`,
    '',
    '',
  ].join('\r\n');
}

function hex(random, digits) {
  let text = '';
  while (text.length < digits) text += Math.floor(random() * 16).toString(16);
  return text;
}

/** Seeded random numbers in [0, 1): the high bits of a linear congruential generator. */
function randomOf(seed) {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
