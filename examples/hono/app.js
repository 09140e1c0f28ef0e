// node examples/hono/app.js, then open http://localhost:3000/books/1, /broken and /_profiler/
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { lookback } from 'lookback/hono';

const books = new Map([['1', { id: '1', title: 'A Wizard of Earthsea' }]]);
const app = new Hono();

app.use(lookback({ errorPage: true })); // before everything else

app.get('/books/:id', function showBook(context) {
  const book = books.get(context.req.param('id'));
  return book === undefined ? context.notFound() : context.json(book);
});

app.post('/books', async function addBook(context) {
  const { title } = await context.req.json();
  const book = { id: String(books.size + 1), title: String(title) };
  books.set(book.id, book);
  return context.json(book, 201, { Location: `/books/${book.id}` });
});

app.get('/broken', function breakDown() {
  throw new Error('The shelf is broken.', { cause: new Error('Too many books.') });
});

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, () =>
  console.log('listening'),
);
