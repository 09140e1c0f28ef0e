// node examples/koa/app.js, then open http://localhost:3000/books/1, /broken and /_profiler/
import Router from '@koa/router';
import Koa from 'koa';
import { lookback } from 'lookback/koa';

const books = new Map([['1', { id: '1', title: 'A Wizard of Earthsea' }]]);
const app = new Koa();
const router = new Router();

app.use(lookback({ errorPage: true })); // before everything else

router.get('/books/:id', function showBook(ctx) {
  const book = books.get(ctx.params.id);
  if (book !== undefined) ctx.body = book;
});

router.post('/books', async function addBook(ctx) {
  let text = '';
  for await (const chunk of ctx.req) text += chunk;
  const book = { id: String(books.size + 1), title: String(JSON.parse(text).title) };
  books.set(book.id, book);
  ctx.status = 201;
  ctx.set('Location', `/books/${book.id}`);
  ctx.body = book;
});

router.get('/broken', function breakDown() {
  throw new Error('The shelf is broken.', { cause: new Error('Too many books.') });
});

app.use(router.routes());
app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('listening'));
