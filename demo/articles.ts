/** An article of the journal. */
export interface Article {
  readonly slug: string;
  readonly title: string;
  readonly text: string;
  readonly written: string;
}

export const articles: readonly Article[] = [
  {
    slug: 'a-record-for-every-request',
    title: 'A record for every request',
    text: 'Open any request that was made: what came in, which route took it, what was logged, what went wrong and what went out.',
    written: '2026-11-02',
  },
  {
    slug: 'why-a-404-should-explain-itself',
    title: 'Why a 404 should explain itself',
    text: 'Most missing pages are a typing error away from one that exists. A router knows which ones, so it can say so.',
    written: '2026-11-09',
  },
  {
    slug: 'reading-a-stack-trace',
    title: 'Reading a stack trace',
    text: 'Start at the inner error, look for the first line that is yours, and only then look at what called it.',
    written: '2026-11-16',
  },
];

export function findArticle(slug: string): Article | undefined {
  return articles.find((article) => article.slug === slug);
}
