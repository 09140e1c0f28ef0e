// node examples/fastify/app.js, then open http://localhost:3000/books/1, /broken and /_profiler/
import Fastify from 'fastify';
import { lookback } from 'lookback/fastify';

const books = new Map([['1', { id: '1', title: 'A Wizard of Earthsea' }]]);
const app = Fastify();

await app.register(lookback, { errorPage: true }); // before everything else

app.get('/books/:id', async function showBook(request, reply) {
  const book = books.get(request.params.id);
  return book ?? reply.callNotFound();
});

app.post('/books', async function addBook(request, reply) {
  const book = { id: String(books.size + 1), title: String(request.body.title) };
  books.set(book.id, book);
  return reply.code(201).header('Location', `/books/${book.id}`).send(book);
});

app.get('/broken', async function breakDown() {
  throw new Error('The shelf is broken.', { cause: new Error('Too many books.') });
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log('listening');
