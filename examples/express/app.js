// node examples/express/app.js, then open http://localhost:3000/books/1, /broken and /_profiler/
import express from 'express';
import { lookback } from 'lookback/express';

const books = new Map([['1', { id: '1', title: 'A Wizard of Earthsea' }]]);
const app = express();

app.use(lookback({ errorPage: true })); // before everything else
app.use(express.json());

app.get('/books/:id', function showBook(request, response, next) {
  const book = books.get(request.params.id);
  if (book === undefined) next();
  else response.json(book);
});

app.post('/books', function addBook(request, response) {
  const book = { id: String(books.size + 1), title: String(request.body.title) };
  books.set(book.id, book);
  response.status(201).location(`/books/${book.id}`).json(book);
});

app.get('/broken', async function breakDown() {
  throw new Error('The shelf is broken.', { cause: new Error('Too many books.') });
});

app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('listening'));
