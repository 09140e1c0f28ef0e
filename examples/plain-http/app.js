// node examples/plain-http/app.js, then open http://localhost:3000/_profiler/
import { createServer } from 'node:http';
import { attach } from 'lookback/attach';

const books = new Map([['1', { id: '1', title: 'A Wizard of Earthsea' }]]);

async function answer(request, response) {
  const { method, url } = request;
  const [, id] = /^\/books\/(\w+)$/.exec(url) ?? [];
  if (method === 'GET' && books.has(id)) return send(response, 200, books.get(id));
  if (method === 'POST' && url === '/books') {
    let text = '';
    for await (const chunk of request) text += chunk;
    const book = { id: String(books.size + 1), title: String(JSON.parse(text).title) };
    books.set(book.id, book);
    response.setHeader('Location', `/books/${book.id}`);
    return send(response, 201, book);
  }
  if (url === '/broken') throw new Error('The shelf is broken.', { cause: new Error('Too many books.') });
  return send(response, 404, { title: 'Not Found' });
}

function send(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error); // also appears in the record's log
    send(response, 500, { title: 'Internal Server Error' });
  });
});
attach(server);
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('listening'));
